# The coverage report: the last step of `cmake --workflow --preset coverage`, after the tests have left their counts.
find_program(HEADWAY_LCOV lcov REQUIRED)
find_program(HEADWAY_GENHTML genhtml REQUIRED)

# Counts add up from run to run: each build starts them anew.
add_custom_target(
  forget_counts ALL
  COMMAND find "${CMAKE_BINARY_DIR}" -name "*.gcda" -delete
  VERBATIM)

add_custom_target(
  coverage_report
  COMMAND "${CMAKE_SOURCE_DIR}/scripts/coverage.sh" "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}"
  COMMENT "Reading what the tests have reached"
  USES_TERMINAL VERBATIM)
