// Where in what a student handed in the exercises are: a folder exercises/, the exercise folders themselves, a whole
// repository with both and more, or single files.
#include "intake/exercise_names.hpp"
#include "intake/hand_in.hpp"

#include "submission/handed_in_file.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

/// Where in the tree an archive among files goes. Students may call two alike; what they came as is unlike.
std::string folder_for(const fs::path& archive) { return archive.filename().string() + "/"; }

using Files = std::map<std::string, std::string>;  // by path

/// Files that were handed in one by one, and archives among them, each unpacked into a folder of its own.
FileTree read_files(const HandIn& hand_in) {
    FileTree tree;
    std::vector<PlacedArchive> archives;
    for (std::size_t i = 0; i < hand_in.paths.size(); ++i) {
        tree.count_file();
        if (is_archive(hand_in.paths[i])) {
            archives.push_back({hand_in.paths[i], folder_for(hand_in.paths[i])});
            continue;
        }
        if (!foreign_archive_ending(hand_in.names[i]).empty()) tree.add_unread(why_foreign(hand_in.names[i]));
        const std::string name = FileTree::with_small_ending(hand_in.names[i]);
        if (!FileTree::counts(name)) continue;
        if (fs::file_size(hand_in.paths[i]) > tree.room()) throw Malformed("holds more than 16 MiB of sources");
        const fs::path path = fs::absolute(hand_in.paths[i]);
        const fs::path folder = fs::canonical(path.parent_path());  // the instructor's own, which may be a link
        tree.add(FileTree::checked_path(name), build::read_handed_in(folder, path.filename(), tree.room()));
    }
    unpack_into(tree, archives);
    return tree;
}

FileTree read_tree(const HandIn& hand_in) try {
    const fs::path& path = hand_in.paths.front();
    if (hand_in.paths.size() == 1 && is_archive(path)) return read_archive(path);
    return hand_in.names.empty() ? read_folder(path) : read_files(hand_in);
} catch (const build::ChangedMeanwhile& error) {
    throw Malformed(error.what());
}

/// What was handed in as one thing: an archive of several, or all that came without one.
struct Part {
    std::string called;
    Files files = {};
};

/// Of several archives none goes before another, however deep its exercises lie: each is looked through by itself.
std::vector<Part> parts_of(const FileTree& tree, const HandIn& hand_in) {
    if (hand_in.paths.size() == 1) return {{"", tree.files()}};
    std::vector<Part> parts;
    Files single = tree.files();
    for (std::size_t i = 0; i < hand_in.paths.size(); ++i) {
        if (!is_archive(hand_in.paths[i])) continue;
        parts.push_back({hand_in.names[i]});
        const std::string folder = folder_for(hand_in.paths[i]);
        for (const auto& [path, text] : tree.files())
            if (path.starts_with(folder) && single.erase(path) > 0)
                parts.back().files[path.substr(folder.size())] = text;
    }
    parts.push_back({"a single file", std::move(single)});
    return parts;
}

/// "a/b" of "a/b/c"; empty at the top.
std::string parent(const std::string& path) { return fs::path(path).parent_path().string(); }

/// Folders of this exercise: of several, those in a folder exercises/, and of these the ones least deep.
std::vector<std::string> folders_of(const Files& all, const std::string& exercise) {
    std::set<std::string> found;
    for (const auto& [path, text] : all) {
        (void)text;
        std::string folder;
        for (const fs::path& part : fs::path(parent(path))) {
            folder += (folder.empty() ? "" : "/") + part.string();
            if (is_folder_of(part, exercise)) found.insert(folder);
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

/// Whether the file is in the folder of any exercise: there it is that exercise's, whatever it is called.
bool is_in_a_folder(const std::string& path, const std::vector<Wanted>& wanted) {
    const fs::path folder = parent(path);
    return std::any_of(folder.begin(), folder.end(), [&](const fs::path& part) {
        return std::ranges::any_of(wanted, [&](const Wanted& one) { return is_folder_of(part, one.exercise); });
    });
}

/// Files that are called as the exercise's stub, wherever they lie outside of exercises' folders.
std::vector<std::string> stubs_of(const Files& all, const Wanted& exercise, const std::vector<Wanted>& wanted) {
    std::vector<std::string> found;
    for (const auto& [path, text] : all) {
        (void)text;
        if (is_stub_of(fs::path(path).filename(), exercise.exercise) && !is_in_a_folder(path, wanted))
            found.push_back(path);
    }
    return found;
}

/// What the stub's file is called: "scaled_scores.cpp".
std::string stub_of(const Wanted& wanted) { return name_without_number(wanted.exercise) + ".cpp"; }

[[noreturn]] void ambiguous(const std::string& one, const std::string& other) {
    throw Malformed(fmt::format("holds both {} and {}; which counts? Hand in one of them", verdict::showable(one),
                                verdict::showable(other)));
}

/// "scaled_scores.cpp" and "scaled_scores (1).cpp" side by side define the same functions.
void require_no_copies(const std::vector<build::SourceFile>& files, const std::string& exercise) {
    const auto claims = [&](const build::SourceFile& file) {
        return !file.path.has_parent_path() && is_stub_of(file.path, exercise);
    };
    const auto copy = std::ranges::find_if(
        files, [&](const build::SourceFile& file) { return claims(file) && is_marked_as_copy(file.path); });
    if (copy == files.end()) return;
    for (const build::SourceFile& file : files)
        if (claims(file) && file.path != copy->path)
            ambiguous(exercise + "/" + file.path.string(), exercise + "/" + copy->path.string());
}

std::vector<build::SourceFile> files_of(const Files& all, const Wanted& exercise, const std::vector<Wanted>& wanted) {
    std::vector<build::SourceFile> files;
    const std::vector<std::string> folders = folders_of(all, exercise.exercise);
    if (folders.size() > 1) ambiguous(folders[0], folders[1]);
    if (!folders.empty()) {
        const std::string start = folders.front() + "/";
        for (const auto& [path, text] : all)
            if (path.starts_with(start)) files.push_back({path.substr(start.size()), text});
        require_no_copies(files, exercise.exercise);
        return files;
    }
    const std::vector<std::string> single = stubs_of(all, exercise, wanted);
    if (single.empty()) return files;
    for (const std::string& other : single)  // the same twice is clear
        if (all.at(other) != all.at(single.front())) ambiguous(single.front(), other);
    files.push_back({stub_of(exercise), all.at(single.front())});
    for (const auto& [path, text] : all)  // it may include them
        if (parent(path) == parent(single.front()) && !build::SourceFile{path, {}}.is_compiled())
            files.push_back({fs::path(path).filename(), text});
    return files;
}

bool are_the_same(const std::vector<build::SourceFile>& some, const std::vector<build::SourceFile>& others) {
    return std::ranges::equal(some, others, [](const build::SourceFile& a, const build::SourceFile& b) {
        return a.path == b.path && a.text == b.text;
    });
}

std::vector<build::SourceFile> files_in(const std::vector<Part>& parts, const Wanted& exercise,
                                        const std::vector<Wanted>& wanted) {
    std::vector<build::SourceFile> files;
    std::string from;
    for (const Part& part : parts) {
        std::vector<build::SourceFile> more = files_of(part.files, exercise, wanted);
        if (more.empty()) continue;
        const std::string here = exercise.exercise + " in " + part.called;
        if (!files.empty() && !are_the_same(files, more)) ambiguous(from, here);
        files = std::move(more);
        from = here;
    }
    return files;
}

[[noreturn]] void refuse(const FileTree& tree, const std::vector<Wanted>& wanted) {
    if (tree.is_empty()) throw Malformed("is empty");
    if (!tree.unread().empty()) throw Malformed("holds no exercise: " + tree.unread().front());
    throw Malformed(fmt::format("holds no exercise: neither a folder such as {} nor a file such as {}",
                                wanted.front().exercise, stub_of(wanted.front())));
}

}  // namespace

std::vector<build::Submission> read_hand_in(const HandIn& hand_in, const std::vector<Wanted>& wanted) {
    if (!hand_in.problem.empty()) throw Malformed(hand_in.problem);
    const FileTree tree = read_tree(hand_in);
    const std::vector<Part> parts = parts_of(tree, hand_in);
    std::vector<build::Submission> submissions;
    for (const Wanted& exercise : wanted) {
        std::vector<build::SourceFile> files = files_in(parts, exercise, wanted);
        if (files.empty()) continue;
        try {
            submissions.push_back(build::select_files(std::move(files), exercise.course_folder));
        } catch (const build::BadSubmission& error) {
            throw Malformed(fmt::format("{}: {}", exercise.exercise, error.what()));
        }
    }
    if (submissions.empty()) refuse(tree, wanted);
    return submissions;
}

}  // namespace headway::intake
