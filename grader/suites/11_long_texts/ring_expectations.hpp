#pragma once

#include "suites/11_long_texts/inputs.hpp"

#include "student/expect.hpp"

/// What is expected of a ring; each ends the test if it does not hold.
namespace headway::judge::long_texts {

/// From a new cache on, one chunk after the other.
void expect_appended(Student& student, Random& random, const Sizes& n, Index w, const Shape& chunks);
/// To a cache with given contents.
void expect_appended_once(Student& student, const Filled& filled, const NewTokens& some);
/// A copy keeps what it had, and what was appended stays what it was.
void expect_copies_apart(Student& student, Random& random, const Sizes& n, Index w, Index so_far);
/// The caller may write new numbers into the tensors that were appended.
void expect_own_storage(Student& student, Random& random, const Sizes& n, Index w);

/// New tokens, asked of a cache with given contents; what the cache holds then is judged by what ring_append makes of
/// it.
void expect_decoded(Student& student, const Filled& before, const NewTokens& some);
/// A copy keeps what it had, in decoding too.
void expect_copies_apart_in_decoding(Student& student, Random& random, const Sizes& n, Index w);
/// A whole text, chunk by chunk: what attention gives that has kept every token.
void expect_whole_text(Student& student, Random& random, const Sizes& n, Index w, const Shape& chunks);

}  // namespace headway::judge::long_texts
