#include "files.hpp"
#include "lessons.hpp"
#include "markers.hpp"
#include "picture_files.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>

std::vector<headway::lessons::Lesson>& headway::lessons::all_lessons() {
    static std::vector<Lesson> lessons;
    return lessons;
}

// lesson_numbers --check FOLDER   1 if a lesson does not show what is computed
// lesson_numbers --write FOLDER   makes the lessons show what is computed
namespace {

namespace fs = std::filesystem;
using headway::lessons::Blocks;

Blocks computed() {
    Blocks blocks;
    for (const headway::lessons::Lesson lesson : headway::lessons::all_lessons()) lesson(blocks);
    return blocks;
}

std::vector<fs::path> lessons_in(const fs::path& folder) {
    std::vector<fs::path> lessons;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".md") lessons.push_back(entry.path());
    if (lessons.empty()) throw std::runtime_error("there is no lesson in " + folder.string());
    std::sort(lessons.begin(), lessons.end());
    return lessons;
}

enum class Task { check, write };

int run(Task task, const fs::path& folder) {
    const Blocks blocks = computed();
    std::vector<std::string> complaints;
    std::set<std::string> used;
    for (const fs::path& lesson : lessons_in(folder)) {
        const std::string before = headway::lessons::contents(lesson);
        headway::lessons::Rewritten after = headway::lessons::rewrite(lesson.filename().string(), before, blocks);
        used.merge(after.used);
        complaints.insert(complaints.end(), after.mistakes.begin(), after.mistakes.end());
        if (task == Task::check)
            complaints.insert(complaints.end(), after.disagreements.begin(), after.disagreements.end());
        else if (after.page != before && after.mistakes.empty())
            headway::lessons::write(lesson, after.page);
    }
    for (const auto& [name, block] : blocks.all())
        if (!used.contains(name)) complaints.push_back("\"" + name + "\" is computed, but no lesson shows it");
    const fs::path pictures = folder / "pictures";
    if (task == Task::write) headway::lessons::write_pictures(pictures, blocks.pictures());
    for (const std::string& complaint : headway::lessons::complaints_about(pictures, blocks.pictures()))
        complaints.push_back(complaint);
    for (const std::string& complaint : complaints) std::cerr << complaint << '\n';
    return complaints.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string task = argc == 3 ? argv[1] : "";
    if (task != "--check" && task != "--write") {
        std::cerr << "usage: lesson_numbers --check|--write FOLDER\n";
        return 2;
    }
    try {
        return run(task == "--check" ? Task::check : Task::write, argv[2]);
    } catch (const std::exception& error) {
        std::cerr << "lesson_numbers: " << error.what() << '\n';
        return 3;
    }
}
