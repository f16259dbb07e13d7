#include "gradebook/database.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace headway::gradebook {
namespace {

/// What went wrong, in words that say what to do.
[[noreturn]] void fail(sqlite3* database) {
    const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
    const char* name = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
    const std::string file = name == nullptr || *name == '\0' ? "the gradebook" : name;
    switch (code) {
        case SQLITE_FULL:
        case SQLITE_IOERR:
            throw DatabaseError(
                fmt::format("cannot write {} ({}); is the disk full? Free some space and run the same "
                            "command again: what is in the gradebook stays there",
                            file, sqlite3_errmsg(database)));
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            throw DatabaseError(
                fmt::format("{} is damaged, or no gradebook ({}). Put back a copy, or save what can be "
                            "read with: sqlite3 FILE .recover | sqlite3 NEW",
                            file, sqlite3_errmsg(database)));
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
            throw DatabaseError(
                fmt::format("cannot open {} ({}); --gradebook FILE names another", file, sqlite3_errmsg(database)));
        default:
            throw DatabaseError(fmt::format("{}: {}", file, sqlite3_errmsg(database)));
    }
}

/// Marks, names and the secret seed are for who grades alone. SQLite gives the files beside this one the same rights as
/// they are made; those of a gradebook that others could read are closed too.
void close_to_others(const std::filesystem::path& file, Access access) {
    namespace fs = std::filesystem;
    std::error_code ignored;  // it is somebody else's, or cannot be opened, which SQLite says better
    if (access == Access::read_write) ::close(::open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    for (const char* ending : {"", "-wal", "-shm"})
        fs::permissions(file.string() + ending, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove,
                        ignored);
}

/// What statfs(2) calls it; 0 where nothing is known.
std::uint64_t file_system_of(const std::filesystem::path& file) {
    struct statfs about {};
    // Some of these numbers have their highest bit set, and the field is signed on some machines.
    return ::statfs(file.c_str(), &about) == 0 ? static_cast<std::uint32_t>(about.f_type) : 0;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
    statement_.reset(statement);
}

void Statement::check(int status) const {
    if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE) fail(database_);
}

Statement& Statement::bind(std::string_view text) {
    check(sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind_bytes(std::string_view bytes) {
    check(sqlite3_bind_blob64(statement_.get(), ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
    return *this;
}

Statement& Statement::bind(std::int64_t number) {
    check(sqlite3_bind_int64(statement_.get(), ++bound_, number));
    return *this;
}

Statement& Statement::bind(double number) {
    check(sqlite3_bind_double(statement_.get(), ++bound_, number));
    return *this;
}

Statement& Statement::bind_null() {
    check(sqlite3_bind_null(statement_.get(), ++bound_));
    return *this;
}

bool Statement::step() {
    const int status = sqlite3_step(statement_.get());
    check(status);
    return status == SQLITE_ROW;
}

void Statement::run() {
    while (step()) {
    }
}

std::string Statement::text(int column) const { return optional_text(column).value_or(""); }

std::optional<std::string> Statement::optional_text(int column) const {
    if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::nullopt;
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    if (bytes == nullptr) return "";  // of length zero
    return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

Database::Database(const std::filesystem::path& file, Access access) : file_(file) {
    const int flags = access == Access::read_only ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    close_to_others(file, access);
    sqlite3* database = nullptr;
    const int status = sqlite3_open_v2(file.c_str(), &database, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK)
        throw DatabaseError(
            fmt::format("cannot open {} ({}); --gradebook FILE names another", file.string(), sqlite3_errstr(status)));
    sqlite3_busy_timeout(database, 10'000);
    ask(fmt::format("PRAGMA journal_mode = {}", journal_mode(file_system_of(file)))).run();
    // A commit that has returned survives a power cut.
    execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    if (access == Access::read_only) execute("PRAGMA query_only = ON");
}

void Database::execute(const std::string& sql) {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(database_.get());
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(database_.get()); }

int Database::changes() const { return sqlite3_changes(database_.get()); }

int Database::version() const {
    Statement statement = ask("PRAGMA user_version");
    statement.step();
    return static_cast<int>(statement.integer(0));
}

void Transaction::commit() {
    database_.execute("COMMIT");
    done_ = true;
}

Transaction::~Transaction() {
    if (done_) return;
    try {
        database_.execute("ROLLBACK");
    } catch (const DatabaseError&) {
        // SQLite has rolled back by itself, after a full disk for one.
    }
}

}  // namespace headway::gradebook
