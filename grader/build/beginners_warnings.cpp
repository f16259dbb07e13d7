#include "build/beginners_errors.hpp"

namespace headway::build {
namespace {

constexpr BeginnersError table_of_warnings[] = {
    {R"(no return statement|reaches end of|does not return a value|does not return in all)", "",
     "On some way through it this function ends without return; what it gives then is nobody's choice."},
    {R"('?>= 0'? is always true|< 0'? is always false|unsigned expression)", "",
     "An unsigned number is never below 0: such a loop has no end. Count with Index."},
    {R"(do not have their mathematical meaning)", "",
     "Two comparisons in one: 0 <= t gives true or false, and that is compared. Write 0 <= t && t < T."},
    {R"(empty body|does not guard|suggest braces around empty|misleading indentation)",
     R"(^(if|for|while)\b.*;\s*(?://.*)?$)",
     "Does a ; end this @1 right behind its brackets? Then what follows does not belong to it."},
    {R"(does not guard|misleading indentation)", "",
     "Only the first statement after it belongs to it, however the others are indented: put them between { and }."},
    {R"(statement has no effect|comparison result unused)", R"(==)", "== compares; to assign, write =."},
    {R"(reference to (?:local variable|stack memory)|address of (?:local variable|stack memory))", "",
     "That variable ends with the function: return it by value."},
    {R"(different signedness|different signs)", "",
     "One side can be negative, the other cannot: -1 becomes a huge number. Make both Index."},
    {R"(will be initialized after)", "",
     "Members are made in the order in which the class declares them, whatever order the constructor's list has."},
    {R"(uninitialized)", "", "It has no value yet: give it one where it is declared."},
    {R"(shadows)", "", "There are two of this name, and the inner one hides the outer."},
    {R"(assignment.*(?:truth value|condition))", "", "= assigns; to compare, write ==."},
};

}  // namespace

std::span<const BeginnersError> beginners_warnings() { return table_of_warnings; }

}  // namespace headway::build
