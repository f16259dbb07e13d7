#include "sandbox/policy.hpp"

#include "sandbox/protections.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace headway::sandbox {
namespace {

/// One table of the file: its entries are whole numbers of one unit each.
class Table {
public:
    Table(const toml::table& file, std::string name) : name_(std::move(name)) {
        if (const toml::node* node = file.get(name_)) {
            table_ = node->as_table();
            if (table_ == nullptr) throw std::runtime_error("[" + name_ + "] must be a table");
        }
    }

    template <class Value>
    void read(const char* key, Value& value, std::uint64_t unit = 1) {
        known_.insert(key);
        const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
        if (node == nullptr) return;
        const auto number = node->value_exact<std::int64_t>();
        if (!number || *number < 1 || *number > 1'000'000)
            throw std::runtime_error(name_ + "." + key + " must be a whole number from 1 to 1000000");
        value = Value(static_cast<std::uint64_t>(*number) * unit);
    }

    void refuse_others() const {
        if (table_ == nullptr) return;
        for (const auto& [key, node] : *table_)
            if (!known_.contains(std::string(key.str())))
                throw std::runtime_error("there is no limit called " + name_ + "." + std::string(key.str()));
    }

private:
    std::string name_;
    const toml::table* table_ = nullptr;
    std::set<std::string> known_;
};

void read_worker(const toml::table& file, Policy::Worker& worker) {
    Table table(file, "worker");
    table.read("call_cpu_seconds", worker.call_cpu);
    table.read("all_calls_seconds", worker.all_calls);
    table.read("call_wall_seconds", worker.call_wall);
    table.read("memory_mib", worker.memory, mebibytes(1));
    table.read("processes", worker.processes);
    table.read("files", worker.files);
    table.read("folder_mib", worker.folder, mebibytes(1));
    table.read("output_mib", worker.output, mebibytes(1));
    table.refuse_others();
}

void read_compiler(const toml::table& file, Policy::Compiler& compiler) {
    Table table(file, "compiler");
    table.read("cpu_seconds", compiler.cpu);
    table.read("all_cpu_seconds", compiler.all_cpu);
    table.read("wall_seconds", compiler.wall);
    table.read("memory_mib", compiler.memory, mebibytes(1));
    table.read("processes", compiler.processes);
    table.read("files", compiler.files);
    table.read("folder_mib", compiler.folder, mebibytes(1));
    table.read("file_mib", compiler.file, mebibytes(1));
    table.read("diagnostics_kib", compiler.diagnostics, std::uint64_t{1} << 10U);
    table.refuse_others();
}

void read_judge(const toml::table& file, Policy::Judge& judge) {
    Table table(file, "judge");
    table.read("memory_mib", judge.memory, mebibytes(1));
    table.refuse_others();
}

void read_switched_off(const toml::table& file, std::set<std::string>& names) {
    const toml::array* array = file["jail"]["switched_off"].as_array();
    if (array == nullptr) return;
    for (const toml::node& node : *array) {
        const std::string name = node.value_or(std::string());
        const auto known = protections();
        if (std::none_of(known.begin(), known.end(), [&](const Protection& one) { return one.name == name; }))
            throw std::runtime_error("jail.switched_off: there is no protection called \"" + name + "\"");
        names.insert(name);
    }
}

}  // namespace

std::string Policy::text() const {
    std::ostringstream text;
    text << "worker " << worker.call_cpu.count() << ' ' << worker.all_calls.count() << ' ' << worker.call_wall.count()
         << ' ' << worker.memory << ' ' << worker.processes << ' ' << worker.files << ' ' << worker.folder << ' '
         << worker.output << " compiler " << compiler.cpu.count() << ' ' << compiler.all_cpu.count() << ' '
         << compiler.wall.count() << ' ' << compiler.memory << ' ' << compiler.processes << ' ' << compiler.files << ' '
         << compiler.folder << ' ' << compiler.file << ' ' << compiler.diagnostics << " judge " << judge.memory;
    for (const std::string& name : switched_off) text << " without " << name;
    return text.str();
}

Policy read_policy(const std::filesystem::path& file) {
    Policy policy;
    if (!std::filesystem::exists(file)) return policy;
    const toml::table document = toml::parse_file(file.string());
    read_worker(document, policy.worker);
    read_compiler(document, policy.compiler);
    read_judge(document, policy.judge);
    read_switched_off(document, policy.switched_off);
    return policy;
}

}  // namespace headway::sandbox
