#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headway::classroom {

/// The roster cannot be used; the message names file and line.
struct RosterError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One person of the class.
struct Enrolled {
    std::string id;  ///< by which the gradebook knows them
    std::string name = {};
    std::string section = {};
    std::string participant = {};  ///< Moodle's number, where Moodle says it
    std::string canvas_user = {};  ///< Canvas's, where Canvas says it
    std::string sis_user = {};     ///< in Canvas's gradebook; Gradescope's SID
    std::string sis_login = {};
    std::string org_defined = {};       ///< Brightspace's OrgDefinedId, where Brightspace says it
    std::string brightspace_user = {};  ///< its Username, likewise
    std::string handed_in = {};         ///< when, as Moodle's grading worksheet has it
    std::vector<std::string> ids = {};  ///< all that may mean this person, the best first
    std::size_t line = 0;               ///< of the file
};

/// Who is in the class: a CSV file of Moodle, Canvas, Brightspace or Gradescope, or plain "id,name,section". Without
/// one it is empty, and the class is who handed in.
class Roster {
public:
    Roster() = default;

    /// @param file  what messages call it
    /// @throws RosterError for no id column, an id that stands twice or can be none, and broken CSV
    static Roster parse(std::string_view text, const std::string& file);

    /// Whether this is Moodle's grading worksheet with times of handing in, by its first line.
    static bool has_times(std::string_view text);

    bool empty() const { return people_.empty(); }
    const std::vector<Enrolled>& people() const { return people_; }
    /// Nothing for a guest, or a mistyped id.
    const Enrolled* find(const std::string& id) const;
    std::string name_of(const std::string& id) const;
    /// Whether Canvas made this student up: "Student, Test" stands in its gradebook, and is nobody.
    bool is_made_up(const std::string& id) const { return made_up_.contains(id); }
    /// All ids of such rows.
    const std::set<std::string>& made_up() const { return made_up_; }

    /// People whose hand-ins came under another id of theirs (a login, an e-mail address) go by that.
    /// @param known  the ids in the gradebook
    void go_by(const std::set<std::string>& known);

private:
    void index();

    std::vector<Enrolled> people_;
    std::map<std::string, std::size_t> by_id_;
    std::set<std::string> made_up_;
};

}  // namespace headway::classroom
