#pragma once

#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway {

/// A small class, and the commands that an instructor types about it.
class ClassCommand : public testing::Test {
protected:
    ClassCommand() {
        hand_in("301", solution("04_merge_heads/merge_heads.cpp"));
        hand_in("302", solution("04_merge_heads/merge_heads.cpp"));
        hand_in("303", "this does not compile");
        folder_.write("class/304/notes.txt", "no exercise");
    }

    void hand_in(const std::string& student, const std::string& text) {
        folder_.write("class/" + student + "/04_merge_heads/merge_heads.cpp", text);
    }

    sandbox::Finished class_command(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "class");
        arguments.insert(arguments.end(), {"--gradebook", path("gradebook.sqlite")});
        return desk_.headway(arguments);
    }
    sandbox::Finished grade() const { return class_command({"grade", path("class"), "--unsafe"}); }
    /// The page as it is once it is shown, as HTML.
    sandbox::Finished chromium_shows(const std::string& page, const std::vector<std::string>& more = {}) const {
        sandbox::Command command;
        command.arguments = {
            CHROMIUM,    "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + path("chromium"),
            "--dump-dom"};
        command.arguments.insert(command.arguments.end(), more.begin(), more.end());
        command.arguments.push_back("file://" + page);
        command.environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_.path().string(), "LC_ALL=C.UTF-8"};
        return sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway),
                            std::chrono::seconds(60), std::size_t{4} << 20U);
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    Desk desk_;
    build::TemporaryFolder folder_;
};

}  // namespace headway
