#pragma once

#include "suites/12_small_numbers/inputs.hpp"

/// What the functions of exercise 12 must refuse and must leave alone, and what cache_bytes counts; each ends the test.
namespace headway::judge::small_numbers {

void expect_bytes_counted(Student& student, Random& random);
/// Arguments, earlier answers and views, of every function.
void expect_left_alone(Student& student, Random& random);
void expect_sixteen_bits_checked(Student& student, Random& random);
void expect_eight_bits_checked(Student& student, Random& random);

}  // namespace headway::judge::small_numbers
