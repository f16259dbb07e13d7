#include "classroom/compared.hpp"

#include <fmt/format.h>

namespace headway::classroom {

void add_elsewhere(Elsewhere& elsewhere, const std::vector<intake::Wanted>& wanted,
                   const std::filesystem::path& folder) {
    const std::string name = std::filesystem::weakly_canonical(folder).filename().string();
    for (const intake::HandIn& hand_in : intake::find_hand_ins(folder, {})) {
        const std::string label = fmt::format("{}: {}", name, hand_in.student);
        try {
            for (build::Submission& one : intake::read_hand_in(hand_in, wanted))
                elsewhere.programs[one.exercise].push_back({{}, label, std::move(one.files)});
            ++elsewhere.hand_ins;
        } catch (const std::exception& error) {  // one that cannot be read keeps nobody from comparing the others
            elsewhere.unreadable.emplace_back(label, error.what());
        }
    }
}

}  // namespace headway::classroom
