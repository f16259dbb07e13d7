// What each mistake is called in the grader's catalogue.
#include "catalogue_ids.hpp"
#include "mistakes.hpp"

#include "diagnosis/catalogue.hpp"

#include <gtest/gtest.h>

namespace headway::combinations {
namespace {

TEST(Ids, AreThoseOfTheCatalogue) {
    for (const Entry& entry : mistakes()) {
        const std::vector<std::string> ids = catalogue_ids(entry.name);
        EXPECT_FALSE(ids.empty()) << entry.name;
        for (const std::string& id : ids) EXPECT_NO_THROW(diagnosis::mistake(id)) << entry.name << ": " << id;
    }
}

}  // namespace
}  // namespace headway::combinations
