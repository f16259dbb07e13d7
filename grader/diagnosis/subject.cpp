#include "diagnosis/subject.hpp"

#include <stdexcept>
#include <utility>

namespace headway::diagnosis {

std::map<std::string, Subject>& subjects() {
    static std::map<std::string, Subject> all;
    return all;
}

SubjectRegistration::SubjectRegistration(const std::string& exercise, Subject subject) {
    subjects()[exercise] = std::move(subject);
}

const wire::Value& argument(const judge::Arguments& arguments, const std::string& name) {
    for (const wire::Field& field : arguments)
        // Suites say more in the name of an argument: "x (a transposed view)".
        if (field.name == name || field.name.starts_with(name + " (")) return field.value;
    throw std::out_of_range("no argument " + name);
}

Tensor tensor(const judge::Arguments& arguments, const std::string& name) {
    return std::get<Tensor>(argument(arguments, name));
}

Mask mask(const judge::Arguments& arguments, const std::string& name) {
    return std::get<Mask>(argument(arguments, name));
}

Index integer(const judge::Arguments& arguments, const std::string& name) {
    return std::get<Index>(argument(arguments, name));
}

Answer refusal(const Checking& checking, bool Checking::*check) {
    if (!(checking.*check)) return Answer::said("accepted");
    if (checking.invalid_argument) return Answer::said("refused");
    // The library looks at masks and axes too, and throws as it should.
    const bool by_library = check == &Checking::masks || check == &Checking::ranks;
    return Answer::said(by_library ? "anything" : "threw");
}

Answer checked(bool fits, const Checking& checking, bool Checking::*check, const std::function<Answer()>& otherwise) {
    if (fits) return otherwise();
    Answer answer = refusal(checking, check);
    if (answer.word != "refused" || !checking.lenient) return answer;
    try {
        answer.parts = otherwise().parts;
    } catch (const std::exception&) {
        // it cannot be computed either
    }
    return answer;
}

}  // namespace headway::diagnosis
