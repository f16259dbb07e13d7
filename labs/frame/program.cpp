#include "labs/frame/program.hpp"

#include "labs/frame/students_code.hpp"

#include "terminal/cells.hpp"
#include "terminal/exit_status.hpp"
#include "terminal/interrupt.hpp"

#include <headway/not_implemented.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <new>

namespace headway::lab {
namespace {

/// As a terminal may show it: names out of files may hold anything, and be of any length.
std::string harmless(const std::string& text) {
    constexpr std::size_t longest_line = 400;
    std::string all;
    for (const report::Cells& line : report::safe_lines(text, report::Alphabet::unicode)) {
        if (!all.empty()) all += '\n';
        for (const report::Cell& cell : report::cut(line, longest_line, report::Alphabet::unicode)) all += cell.glyph;
    }
    return all;
}

}  // namespace

bool has_solutions() {
#ifdef HEADWAY_STUDENTS_EDITION
    return false;
#else
    return true;
#endif
}

void try_exercise(const std::string& exercise, const std::string& lab, const std::function<void()>& call) {
    const std::string number = exercise.substr(0, 2);
    const auto not_working = [&](const std::string& why) {
        return NotDone(fmt::format("exercise {} does not work: {}\nThe lab {} needs it: ./headway grade {} says more.",
                                   exercise, why, lab, number));
    };
    const StudentsTurn turn(exercise.c_str(), "code");
    try {
        call();
    } catch (const NotImplemented& missing) {
        const std::string others =
            has_solutions() ? fmt::format(", or see the lab with\nthe solutions: ./headway lab {} --reference", lab)
                            : ".";
        throw NotDone(
            fmt::format("exercise {} is not done yet: {} is still a stub.\nThe lab {} needs it. Write it and "
                        "ask ./headway grade {}{}",
                        exercise, missing.function(), lab, number, others));
    } catch (const std::exception& error) {
        throw not_working(error.what());
    } catch (...) {
        throw not_working("it throws something that is no std::exception");
    }
}

void require_shape(const std::string& function, const Tensor& tensor, const Shape& expected) {
    if (!tensor.defined() || tensor.shape() != expected)
        throw std::runtime_error(
            fmt::format("{} gives {}, it should give {}", function, to_string(tensor.shape()), to_string(expected)));
}

int run(const std::function<void()>& lab) {
    const auto ended = [](int status, const std::string& why) {
        std::fflush(stdout);
        fmt::print(stderr, "headway: {}\n", harmless(why));
        return status;
    };
    try {
        lab();
        return cli::all_passed;
    } catch (const NotDone& error) {
        return ended(cli::some_did_not_pass, error.what());
    } catch (const NotImplemented& missing) {
        return ended(cli::some_did_not_pass, fmt::format("{} is still a stub", missing.function()));
    } catch (const WrongUsage& error) {
        return ended(cli::wrong_usage, error.what());
    } catch (const Stopped& stopped) {
        return ended(cli::interrupted, stopped.what());
    } catch (const std::bad_alloc&) {
        return ended(cli::machine_at_fault, "there is not enough memory here for what the lab was asked to do");
    } catch (const std::exception& error) {
        return ended(cli::machine_at_fault, error.what());
    } catch (...) {
        return ended(cli::some_did_not_pass, "an exercise throws something that is no std::exception");
    }
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
