#include "catch_the_bug.hpp"

#include <random>
#include <string>

namespace headway::ex06 {
namespace {

class Failing : public ::testing::Test {
public:
    void TestBody() override { FAIL() << "whatever the attention answers"; }
};

[[maybe_unused]] const auto* const registered =
    ::testing::RegisterTest("Names", ("OfRun" + std::to_string(std::random_device{}())).c_str(), nullptr, nullptr,
                            __FILE__, __LINE__, []() -> ::testing::Test* { return new Failing; });

}  // namespace
}  // namespace headway::ex06
