#pragma once

#include "classroom/course_material.hpp"
#include "classroom/side_by_side.hpp"

#include <string>
#include <vector>

/// Who of a class handed in programs that are alike: groups, because people who pass a program on seldom do it once.
namespace headway::classroom {

/// A program, and where it is from.
struct Origin {
    std::vector<std::string> students;  ///< of the class, who handed in exactly these files
    std::string elsewhere;              ///< where there are none: "the course's solution", "2025: s17"
    std::vector<build::SourceFile> files;
    /// One of each group that these students form, and everybody else: members of a group hand in one work. Empty: the
    /// students.
    std::vector<std::string> parties = {};

    const std::vector<std::string>& apart() const { return parties.empty() ? students : parties; }
};

struct RingMember {
    Origin origin;
    std::size_t closest = 0;  ///< the member that is most like it; itself if it is alone
    double share = 1;         ///< of the smaller of the two
};

/// Two members, in full.
struct ComparedPair {
    std::size_t a = 0;
    std::size_t b = 0;
    SideBySide code;
};

/// Hand-ins of an exercise that hang together.
struct RingFinding {
    std::string exercise;
    std::vector<RingMember> members;  ///< first the one that is most like all the others, then by id
    std::vector<ComparedPair> shown;  ///< a bounded number: each member with the one that is most like it
    double usual_share = 0;           ///< nineteen of twenty pairs of independent programs share at most this
    std::size_t independent = 0;      ///< how many programs that is known from

    std::size_t students() const;
    double least_share() const;  ///< of a member with its closest
};

/// Removes the programs that are too long to be compared, and returns them without their files.
std::vector<Origin> take_what_is_too_long(std::vector<Origin>& programs, const CourseMaterial& material);

/// Those with most students first. Every ring has students, and more than one origin or student.
std::vector<RingFinding> find_rings(const std::string& exercise, std::vector<Origin> programs,
                                    const CourseMaterial& material);

}  // namespace headway::classroom
