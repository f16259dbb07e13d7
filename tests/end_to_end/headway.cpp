#include "headway.hpp"

#include "submission/digest.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway {

namespace {

sandbox::Finished run_headway(const std::vector<std::string>& arguments, const std::filesystem::path& root,
                              const std::filesystem::path& state, const std::filesystem::path& policy) {
    sandbox::Command command;
    command.arguments = {HEADWAY_CLI};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HEADWAY_ROOT=" + root.string(),
                           "HEADWAY_STATE=" + state.string()};
    if (std::filesystem::exists(policy)) command.environment.push_back("HEADWAY_POLICY=" + policy.string());
    command.directory = root;
    return sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway),
                        std::chrono::seconds(280), std::size_t{32} << 20U);
}

}  // namespace

sandbox::Finished Desk::headway(const std::vector<std::string>& arguments) const {
    return run_headway(arguments, HEADWAY_SOURCE_DIR, folder_.path() / "state", folder_.path() / "policy.toml");
}

CourseCopy::CourseCopy() {
    const std::filesystem::path source = HEADWAY_SOURCE_DIR;
    std::filesystem::copy(source / "exercises", root() / "exercises", std::filesystem::copy_options::recursive);
    for (const char* shared : {"lessons", "stubs", "solutions", "policy.toml", "tests"})
        std::filesystem::create_symlink(source / shared, root() / shared);
}

std::string CourseCopy::read(const std::string& file) const { return build::read_file(root() / file); }

sandbox::Finished CourseCopy::headway(const std::vector<std::string>& arguments) const {
    return run_headway(arguments, root(), root() / ".headway", root() / "policy.toml");
}

verdict::Exercise Desk::grade(const std::string& number) const {
    const auto finished = headway({"grade", number, "--submission", submission().string(), "--json", "-"});
    const auto begin = finished.output.find('{');
    if (begin == std::string::npos) throw std::runtime_error("no verdict: " + finished.output);
    return verdict::from_json(nlohmann::json::parse(finished.output.substr(begin))).exercises.at(0);
}

verdict::Failure Desk::first_failure(const std::string& number) const {
    const verdict::Exercise exercise = grade(number);
    for (const verdict::Test& test : exercise.tests)
        if (test.state == verdict::TestState::failed) return *test.failure;
    ADD_FAILURE() << "nothing failed: " << exercise.build.message << exercise.build.diagnostics;
    return {};
}

int line_of(const std::string& program, const std::string& text) {
    const auto end = program.begin() + static_cast<std::ptrdiff_t>(program.find(text));
    return 1 + static_cast<int>(std::count(program.begin(), end, '\n'));
}

testing::AssertionResult says(const sandbox::Finished& finished, const std::string& text) {
    if (finished.output.find(text) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "not said: " << text << "\nsaid: " << finished.output;
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
