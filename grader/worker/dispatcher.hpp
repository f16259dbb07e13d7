#pragma once

#include "wire/message.hpp"
#include "worker/convert.hpp"
#include "worker/objects.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headway::worker {

/// Calls a student's functions by name. Thin on purpose: it knows no expected value and no test.
class Dispatcher {
public:
    Dispatcher();

    /// Makes `function` callable; parameters and result travel as Convert<> says.
    template <class Result, class... Parameters>
    void add(const std::string& name, Result (*function)(Parameters...)) {
        // The judge takes calls of the worker's own functions for its own.
        const bool is_new =
            functions_
                .emplace(name, Function{sizeof...(Parameters),
                                        [function](Objects& objects, const std::vector<wire::Field>& arguments) {
                                            return invoke(function, objects, arguments,
                                                          std::index_sequence_for<Parameters...>{});
                                        }})
                .second;
        if (!is_new) throw std::logic_error("worker: two functions are called " + name);
    }

    /// So that a worker of a test can bring one of its own.
    void remove(const std::string& name) { functions_.erase(name); }

    /// Runs the call; whatever the student's code throws becomes an error in the reply.
    wire::Reply answer(const wire::Call& call);

private:
    struct Function {
        std::size_t arity = 0;
        std::function<wire::Value(Objects&, const std::vector<wire::Field>&)> invoke;
    };

    template <class Result, class... Parameters, std::size_t... I>
    static wire::Value invoke(Result (*function)(Parameters...), Objects& objects,
                              const std::vector<wire::Field>& arguments, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<Result>) {
            function(Convert<std::remove_cvref_t<Parameters>>::from(arguments[I].value, objects)...);
            return std::monostate{};
        } else {
            return Convert<std::remove_cvref_t<Result>>::to(
                function(Convert<std::remove_cvref_t<Parameters>>::from(arguments[I].value, objects)...), objects);
        }
    }

    wire::Value run(const wire::Call& call);

    std::map<std::string, Function> functions_;
    Objects objects_;
};

/// For a terminate handler: the exception that ends this process, or nothing if something else does.
std::optional<wire::Error> uncaught_error();

/// Defined by each exercise in grader/suites/NN_name/dispatcher.cpp, the one place that knows its signatures.
void add_functions(Dispatcher& dispatcher);

}  // namespace headway::worker
