// Hidden tests of exercise 12.        T tokens · D model width
//
// FILL_IN: your own properties, 10 points in all. A mistake should cost no more than 4 of them.
#include "reference/array.hpp"
#include "student/hidden_test.hpp"

namespace headway::judge {
namespace {

using reference::Array;
using reference::exact;

HIDDEN_SUITE(SmallNumbers);

const CheckedPart numbers{"doubled numbers", Stage::none, {"token", "feature"}};

/// What is right, with its error bound. Mathematics that other exercises need too belongs into grader/reference.
Array expected(const Tensor& x) { return reference::scale(exact(x), 2); }

void expect_doubled(Student& student, const std::string& name, const Tensor& x) {
    expect_close(student, numbers, student.tensor("doubled", {{name, x}}), expected(x));
}

PROPERTY(SmallNumbers, EachNumberIsDoubled, 4, "each number of x is doubled") {
    for (int round = 0; round < 3; ++round) {
        const Sizes n = random_sizes(random);
        expect_doubled(student, "x", random_tensor(random, {n.T, n.D()}));
    }
}

PROPERTY(SmallNumbers, ViewsAreReadByTheirStrides, 3, "x may be a view of any strides") {
    const Sizes n = random_sizes(random);
    expect_doubled(student, "x (a transposed view)", random_tensor(random, {n.D(), n.T}).transpose(0, 1));
    expect_doubled(student, "x (with gaps)", strided(random_tensor(random, {n.T, n.D()})));
}

PROPERTY(SmallNumbers, CallsAreCleanAndShapesChecked, 3,
         "what is no matrix is refused; arguments and later calls are left alone") {
    const Sizes n = random_sizes(random);
    expect_untouched(student, {{"doubled", {{"x", random_tensor(random, {n.T, n.D()})}}}});
    student.refuses("doubled", {{"x", random_tensor(random, {n.T})}}, "x has one axis");
    student.refuses("doubled", {{"x", random_tensor(random, {n.B, n.T, n.D()})}}, "x has three axes");
}

}  // namespace
}  // namespace headway::judge
