#pragma once

#include "student/visible_tests.hpp"

#include <gtest/gtest.h>

// A visible.cpp includes this, and then the visible test itself, whose tests are registered here instead of with
// GoogleTest, under names that several exercises use.
#undef TEST
#define TEST(Suite, Name)                                                                                     \
    static void visible_##Suite##_##Name();                                                                   \
    static const headway::judge::VisibleRegistration register_visible_##Suite##_##Name(                       \
        HEADWAY_EXERCISE, headway::judge::VisibleTest{#Suite "." #Name, __LINE__, visible_##Suite##_##Name}); \
    static void visible_##Suite##_##Name()
