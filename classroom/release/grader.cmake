# The student's edition: the grader comes compiled. Only the tensor library, and what precompiled headers leave out, are
# built here, by the compiler that will compile what is written against them.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  message(FATAL_ERROR "This edition grades on x86-64 Linux and WSL2 only; here is ${CMAKE_SYSTEM_NAME} on "
                      "${CMAKE_SYSTEM_PROCESSOR}. Ask whoever gave it to you for the full edition.")
endif()

headway_library(headway_wire)
headway_library(headway_worker)
headway_library(headway_prelude build/prelude.cpp)
headway_library(headway_test_report worker/test_report.cpp LINK GTest::gtest)
foreach(object IN ITEMS headway_worker_main headway_worker_main_sanitized)
  add_library(${object} OBJECT IMPORTED GLOBAL)
  set_property(TARGET ${object} PROPERTY IMPORTED_OBJECTS "${HEADWAY_COMPILED}/${object}.o")
endforeach()

add_executable(headway-judge IMPORTED GLOBAL)
set_property(TARGET headway-judge PROPERTY IMPORTED_LOCATION "${HEADWAY_COMPILED}/headway-judge")
configure_file("${HEADWAY_COMPILED}/headway-cli" "${CMAKE_BINARY_DIR}/bin/headway-cli" COPYONLY)
