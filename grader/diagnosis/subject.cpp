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

Questions::Questions(std::vector<judge::Arguments> without_names) {
    for (judge::Arguments& arguments : without_names) add(std::move(arguments));
}

void Questions::add(judge::Arguments arguments, std::string name) {
    all_.push_back({std::move(arguments), std::move(name)});
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
    if (!(checking.*check)) return Answer::without_value(Answer::Kind::accepted);
    if (checking.invalid_argument) return Answer::without_value(Answer::Kind::refused);
    // The library looks at masks and axes too, and throws as it should.
    const bool by_library = check == &Checking::masks || check == &Checking::wider_masks || check == &Checking::ranks;
    return Answer::without_value(by_library ? Answer::Kind::unpredicted : Answer::Kind::threw);
}

Answer checked(bool fits, const Checking& checking, bool Checking::*check, const std::function<Answer()>& otherwise) {
    if (fits) return otherwise();
    Answer answer = refusal(checking, check);
    if (answer.kind != Answer::Kind::refused || !checking.lenient) return answer;
    try {
        answer.parts = otherwise().parts;
    } catch (const std::exception&) {
        // it cannot be computed either
    }
    return answer;
}

bool takes_weights_as_they_are(const Choices& choices) {
    return choices.softmaxing.finish == right().softmaxing.finish;
}

Predict known_prediction(const Function& function, const judge::Arguments& arguments) {
    if (function.is_promised != nullptr && !function.is_promised(arguments)) return {};
    try {
        Predict predict = function.model(arguments);
        if (predict) predict(right());
        return predict;
    } catch (const std::logic_error&) {
        return {};
    }
}

}  // namespace headway::diagnosis
