#include "headway.hpp"

#include "build/digest.hpp"

#include <stdexcept>

namespace headway {

sandbox::Finished Desk::headway(const std::vector<std::string>& arguments) const {
    sandbox::Command command;
    command.arguments = {HEADWAY_CLI};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", std::string("HEADWAY_ROOT=") + HEADWAY_SOURCE_DIR,
                           "HEADWAY_STATE=" + (folder_.path() / "state").string()};
    return sandbox::run(command, std::chrono::seconds(280), std::size_t{32} << 20U);
}

verdict::Exercise Desk::grade(const std::string& number) const {
    const auto finished = headway({"grade", number, "--submission", submission().string(), "--json", "-"});
    const auto begin = finished.output.find('{');
    if (begin == std::string::npos) throw std::runtime_error("no verdict: " + finished.output);
    return verdict::from_json(nlohmann::json::parse(finished.output.substr(begin))).exercises.at(0);
}

std::string solution(const std::string& file) {
    return build::read_file(std::filesystem::path(HEADWAY_SOURCE_DIR) / "solutions" / file);
}

std::string single_head_with_softmax(const std::string& body, const std::string& before) {
    return "#define softmax_rows softmax_rows_of_the_solution\n" + solution("01_single_head/single_head.cpp") +
           "\n#undef softmax_rows\n" + before +
           "\nnamespace headway::ex01 {\nTensor softmax_rows(const Tensor& scores);\n" +
           "Tensor softmax_rows([[maybe_unused]] const Tensor& scores) {\n" + body + "\n}\n}\n";
}

}  // namespace headway
