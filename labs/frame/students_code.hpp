#pragma once

#include "labs/frame/program.hpp"

#include <headway/not_implemented.hpp>

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

namespace headway::lab {

/// While it lives, the student's code runs: a crash, an abort or an exit() then is told as that code's, with exit
/// status 1, and not as nothing at all.
class StudentsTurn {
public:
    /// @param exercise  "05_module"   @param function  "forward"; both must outlive it
    StudentsTurn(const char* exercise, const char* function);
    ~StudentsTurn();
    StudentsTurn(const StudentsTurn&) = delete;
    StudentsTurn& operator=(const StudentsTurn&) = delete;
};

/// What `call` gives. @throws NotDone if it throws: that is no fault of a file, of the machine or of the course
template <class Call>
auto of_student(const char* exercise, const char* function, Call call) {
    const auto failed = [&](const std::string& why) {
        return NotDone(fmt::format("your {} ({}) {}.\n./headway grade {} may say why.", function, exercise, why,
                                   std::string(exercise, 2)));
    };
    const StudentsTurn turn(exercise, function);
    try {
        return call();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const NotImplemented& missing) {
        throw failed(std::string("is not done yet: ") + missing.function() + " is still a stub");
    } catch (const std::exception& error) {
        throw failed(std::string("threw: ") + error.what());
    } catch (...) {
        throw failed("threw something that is no std::exception");
    }
}

}  // namespace headway::lab
