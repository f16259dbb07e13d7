// Where in what a student handed in the exercises are: a folder exercises/, the exercise folders themselves, a whole
// repository with both and more, or single files.
#include "intake/hand_in.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

FileTree read_tree(const HandIn& hand_in) {
    const fs::path& path = hand_in.paths.front();
    if (hand_in.names.empty() && is_archive(path)) return read_archive(path);
    if (hand_in.names.empty()) {
        FileTree tree = read_folder(path);
        if (!tree.files().empty()) return tree;
        // Moodle: a folder a student, and in it the archive.
        std::vector<fs::path> archives;
        for (const auto& entry : fs::directory_iterator(path))
            if (entry.is_regular_file() && !entry.is_symlink() && is_archive(entry.path()))
                archives.push_back(entry.path());
        if (archives.size() > 1) throw Malformed("holds several archives, and no sources beside them");
        return archives.empty() ? std::move(tree) : read_archive(archives.front());
    }
    FileTree tree;
    for (std::size_t i = 0; i < hand_in.paths.size(); ++i) {
        const std::string name = FileTree::checked_path(hand_in.names[i]);
        if (!FileTree::counts(name)) continue;
        if (fs::file_size(hand_in.paths[i]) > tree.room()) throw Malformed("holds more than 16 MiB of sources");
        tree.add(name, build::read_file(hand_in.paths[i]));
    }
    return tree;
}

/// "a/b" of "a/b/c"; empty at the top.
std::string parent(const std::string& path) { return fs::path(path).parent_path().string(); }

/// Folders of this name: of several, those in a folder exercises/, and of these the ones least deep.
std::vector<std::string> folders_called(const FileTree& tree, const std::string& name) {
    std::set<std::string> found;
    for (const auto& [path, text] : tree.files()) {
        (void)text;
        std::string folder;
        for (const fs::path& part : fs::path(parent(path))) {
            folder += (folder.empty() ? "" : "/") + part.string();
            if (part == name) found.insert(folder);
        }
    }
    std::vector<std::string> folders(found.begin(), found.end());
    const auto keep = [&](auto&& preferred) {
        if (std::any_of(folders.begin(), folders.end(), preferred))
            std::erase_if(folders, [&](const std::string& folder) { return !preferred(folder); });
    };
    keep([](const std::string& folder) { return fs::path(parent(folder)).filename() == "exercises"; });
    std::size_t least = std::string::npos;
    const auto depth = [](const std::string& folder) { return std::ranges::count(folder, '/'); };
    for (const std::string& folder : folders) least = std::min(least, static_cast<std::size_t>(depth(folder)));
    keep([&](const std::string& folder) { return static_cast<std::size_t>(depth(folder)) == least; });
    return folders;
}

/// scaled_scores.cpp, wherever it lies, of a submission without exercise folders.
std::vector<std::string> files_called(const FileTree& tree, const std::string& name) {
    std::vector<std::string> found;
    for (const auto& [path, text] : tree.files()) {
        (void)text;
        if (fs::path(path).filename() == name) found.push_back(path);
    }
    return found;
}

/// What the stub's file is called: "scaled_scores.cpp".
std::string stub_of(const Wanted& wanted) { return wanted.exercise.substr(wanted.exercise.find('_') + 1) + ".cpp"; }

[[noreturn]] void ambiguous(const std::vector<std::string>& found) {
    throw Malformed(fmt::format("holds both {} and {}; which counts?", found[0], found[1]));
}

std::vector<build::SourceFile> files_of(const FileTree& tree, const Wanted& wanted) {
    std::vector<build::SourceFile> files;
    const std::vector<std::string> folders = folders_called(tree, wanted.exercise);
    if (folders.size() > 1) ambiguous(folders);
    if (!folders.empty()) {
        const std::string start = folders.front() + "/";
        for (const auto& [path, text] : tree.files())
            if (path.starts_with(start)) files.push_back({path.substr(start.size()), text});
        return files;
    }
    const std::vector<std::string> single = files_called(tree, stub_of(wanted));
    if (single.size() > 1) ambiguous(single);
    if (!single.empty()) files.push_back({stub_of(wanted), tree.files().at(single.front())});
    return files;
}

}  // namespace

std::vector<build::Submission> read_hand_in(const HandIn& hand_in, const std::vector<Wanted>& wanted) {
    if (!hand_in.problem.empty()) throw Malformed(hand_in.problem);
    const FileTree tree = read_tree(hand_in);
    std::vector<build::Submission> submissions;
    for (const Wanted& exercise : wanted) {
        std::vector<build::SourceFile> files = files_of(tree, exercise);
        if (files.empty()) continue;
        try {
            submissions.push_back(build::select_files(std::move(files), exercise.course_folder));
        } catch (const build::BadSubmission& error) {
            throw Malformed(fmt::format("{}: {}", exercise.exercise, error.what()));
        }
    }
    if (submissions.empty())
        throw Malformed(fmt::format("holds no exercise: neither a folder such as {} nor a file such as {}",
                                    wanted.front().exercise, stub_of(wanted.front())));
    return submissions;
}

}  // namespace headway::intake
