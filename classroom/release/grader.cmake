# The student's edition: the grader and the labs come compiled, with what others wrote for them. Built here is only what
# depends on the compiler of the machine: precompiled headers, and what these leave out.
file(STRINGS "${HEADWAY_COMPILED}/processor" runs_on)
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL runs_on)
  message(FATAL_ERROR "This edition grades on Linux (and WSL2) with ${runs_on}; here is ${CMAKE_SYSTEM_NAME} on "
                      "${CMAKE_SYSTEM_PROCESSOR}. Ask whoever gave it to you for that one.")
endif()

add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
foreach(library IN ITEMS gtest gtest_main)
  add_library(GTest::${library} STATIC IMPORTED GLOBAL)
  set_property(TARGET GTest::${library} PROPERTY IMPORTED_LOCATION "${HEADWAY_COMPILED}/lib${library}.a")
endforeach()
foreach(library IN ITEMS Eigen3::Eigen GTest::gtest)
  set_property(TARGET ${library} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${HEADWAY_COMPILED}/include")
endforeach()

headway_library(headway_wire)
headway_library(headway_worker)
headway_library(headway_prelude build/prelude.cpp build/older_libraries.cpp)
headway_library(headway_test_report)
foreach(object IN ITEMS headway_worker_main headway_worker_main_sanitized)
  add_library(${object} OBJECT IMPORTED GLOBAL)
  set_property(TARGET ${object} PROPERTY IMPORTED_OBJECTS "${HEADWAY_COMPILED}/${object}.o")
endforeach()

add_executable(headway-judge IMPORTED GLOBAL)
set_property(TARGET headway-judge PROPERTY IMPORTED_LOCATION "${HEADWAY_COMPILED}/headway-judge")
configure_file("${HEADWAY_COMPILED}/headway-cli" "${CMAKE_BINARY_DIR}/bin/headway-cli" COPYONLY)
include("${HEADWAY_COMPILED}/labs.cmake")
