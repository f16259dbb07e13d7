#include "program.hpp"

#include "../../grader/cli/exit_status.hpp"
#include "../../grader/cli/interrupt.hpp"

#include <headway/not_implemented.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>

namespace headway::lab {

void try_exercise(const std::string& exercise, const std::string& lab, const std::function<void()>& call) {
    const std::string number = exercise.substr(0, 2);
    try {
        call();
    } catch (const NotImplemented& missing) {
        throw NotDone(
            fmt::format("exercise {} is not done yet: {} is still a stub.\nThe lab {} needs it. Write it and "
                        "ask ./headway grade {}, or see the lab with\nthe solutions: ./headway lab {} --reference",
                        exercise, missing.what(), lab, number, lab));
    } catch (const std::exception& error) {
        throw NotDone(fmt::format("exercise {} does not work: {}\nThe lab {} needs it: ./headway grade {} says more.",
                                  exercise, error.what(), lab, number));
    }
}

void require_shape(const std::string& function, const Tensor& tensor, const Shape& expected) {
    if (!tensor.defined() || tensor.shape() != expected)
        throw std::runtime_error(
            fmt::format("{} gives {}, it should give {}", function, to_string(tensor.shape()), to_string(expected)));
}

std::string shown(const std::string& path) {
    std::error_code problem;
    const std::filesystem::path relative = std::filesystem::relative(path, problem);
    return problem || relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

int run(const std::function<void()>& lab) {
    const auto ended = [](int status, const std::string& why) {
        std::fflush(stdout);
        fmt::print(stderr, "headway: {}\n", why);
        return status;
    };
    try {
        lab();
        return cli::all_passed;
    } catch (const NotDone& error) {
        return ended(cli::some_did_not_pass, error.what());
    } catch (const NotImplemented& missing) {
        return ended(cli::some_did_not_pass, fmt::format("{} is still a stub", missing.what()));
    } catch (const WrongUsage& error) {
        return ended(cli::wrong_usage, error.what());
    } catch (const Stopped& stopped) {
        return ended(cli::interrupted, stopped.what());
    } catch (const std::bad_alloc&) {
        return ended(cli::machine_at_fault, "there is not enough memory for this lab; --quick takes less");
    } catch (const std::exception& error) {
        return ended(cli::machine_at_fault, error.what());
    }
}

std::string read_file(const std::string& file) {
    constexpr std::size_t block = std::size_t{1} << 20U;
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file, unknown);
    std::string bytes;
    if (!unknown) bytes.reserve(size + block);
    std::ifstream stream(file, std::ios::binary);
    while (stream) {
        const std::size_t before = bytes.size();
        bytes.resize(before + block);
        stream.read(bytes.data() + before, block);
        bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.eof()) throw WrongUsage("cannot read " + shown(file));
    return bytes;
}

void write_file(const std::string& file, const std::string& text) {
    const std::filesystem::path path(file);
    std::error_code problem;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
    const std::string unfinished = file + ".new";
    std::ofstream stream(unfinished, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (stream) std::filesystem::rename(unfinished, path, problem);
    if (stream && !problem) return;
    std::filesystem::remove(unfinished, problem);
    throw std::runtime_error(fmt::format("cannot write {}. Is there room, and may you write there?", file));
}

void write_json(const std::string& file, const nlohmann::json& numbers) {
    const std::string text = numbers.dump(1) + "\n";
    if (file == "-") {
        fmt::print("{}", text);
    } else {
        write_file(file, text);
    }
}

}  // namespace headway::lab
