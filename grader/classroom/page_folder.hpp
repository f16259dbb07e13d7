#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace headway::classroom {

/// A new folder of marks and names is for the person who grades. One that is there has the rights that somebody chose.
void make_private(const std::filesystem::path& folder);

/// A folder with one file per student, private if it is new. Files of students who have none any more are removed:
/// those, and only those, that an earlier PageFolder wrote, by a list that it leaves there. Whatever fails is a
/// std::runtime_error that names the file.
class PageFolder {
public:
    /// @param names  of all files that are going to be written: "anna.html", or in a folder, "anna/results.json"
    PageFolder(std::filesystem::path folder, std::set<std::string> names);

    void write(const std::string& name, const std::string& text) const;
    /// @return how many old files were removed
    std::size_t finish() const;

    static constexpr const char* list = ".written-by-headway";

private:
    std::filesystem::path folder_;
    std::set<std::string> names_;
    std::set<std::string> before_;
};

}  // namespace headway::classroom
