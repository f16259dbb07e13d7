#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite, so that what is opened is closed and what goes wrong is an exception.
namespace headway::gradebook {

/// The file cannot be read or written as a gradebook; the message says what to do.
struct DatabaseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Database;

/// One question to the database. Values are bound from left to right, columns are read by number.
class Statement {
public:
    Statement& bind(std::string_view text);
    Statement& bind(const std::string& text) { return bind(std::string_view(text)); }
    Statement& bind(const char* text) { return bind(std::string_view(text)); }
    Statement& bind_bytes(std::string_view bytes);
    Statement& bind(std::int64_t number);
    Statement& bind(double number);
    template <class T>
    Statement& bind(const std::optional<T>& value) {
        return value ? bind(*value) : bind_null();
    }

    /// The next row; false after the last.
    bool step();
    /// For what has no rows.
    void run();

    /// Text or bytes.
    std::string text(int column) const;
    std::optional<std::string> optional_text(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(sqlite3* database, std::string_view sql);
    Statement& bind_null();
    void check(int status) const;

    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    int bound_ = 0;
};

enum class Access { read_write, read_only };

/// SQLite's journal on a file system of this kind, as statfs(2) names them: write-ahead, unless other machines may have
/// the file open as well. @return WAL or DELETE
const char* journal_mode(std::uint64_t file_system);

class Database {
public:
    /// Each commit is on the disk before it returns. @throws DatabaseError
    Database(const std::filesystem::path& file, Access access);

    const std::filesystem::path& file() const { return file_; }
    /// All of it as it is now, even while others write; readable for its owner alone, and there whole or not at all.
    /// @throws DatabaseError
    void copy_to(const std::filesystem::path& copy) const;

    Statement ask(std::string_view sql) const { return Statement(database_.get(), sql); }
    /// Any number of statements, without values and rows.
    void execute(const std::string& sql);
    std::int64_t last_row() const;
    /// How many rows the last statement changed.
    int changes() const;
    int version() const;

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::filesystem::path file_;
    std::unique_ptr<sqlite3, Close> database_;
};

/// All of it or nothing, whatever happens in between.
class Transaction {
public:
    /// Whether nobody else may write from the beginning, or only from the first change on.
    enum class Begin { at_once, when_written };

    explicit Transaction(Database& database, Begin begin = Begin::at_once) : database_(database) {
        database_.execute(begin == Begin::at_once ? "BEGIN IMMEDIATE" : "BEGIN");
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

private:
    Database& database_;
    bool done_ = false;
};

}  // namespace headway::gradebook
