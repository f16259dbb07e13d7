# What ./headway new exercise makes, in a course that holds nothing else: its suite in a judge of its own, its dispatcher in
# both builds, its solution and its lesson's numbers. new_test.py grades with them.
set(made "${CMAKE_CURRENT_BINARY_DIR}/made")
set(made_files exercises/50_made_up/made_up.hpp solutions/50_made_up/made_up.cpp lessons/numbers/made_up.cpp
               grader/suites/50_made_up/suite.cpp grader/suites/50_made_up/dispatcher.cpp grader/suites/50_made_up/visible.cpp)
list(TRANSFORM made_files PREPEND "${made}/")
file(GLOB_RECURSE templates CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/templates/*")
add_custom_command(
  OUTPUT ${made_files}
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${made}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}/exercises"
  COMMAND "${CMAKE_COMMAND}" -E copy_directory "${PROJECT_SOURCE_DIR}/templates" "${made}/templates"
  COMMAND "${CMAKE_COMMAND}" -E copy "${PROJECT_SOURCE_DIR}/CMakeLists.txt" "${PROJECT_SOURCE_DIR}/policy.toml" "${made}"
  COMMAND "${CMAKE_COMMAND}" -E env "HEADWAY_ROOT=${made}" sh "${PROJECT_SOURCE_DIR}/scripts/new.sh" exercise 50_made_up
  DEPENDS "${PROJECT_SOURCE_DIR}/scripts/new.sh" "${PROJECT_SOURCE_DIR}/CMakeLists.txt" ${templates}
  COMMENT "Making a new exercise"
  VERBATIM)
add_custom_target(made_exercise DEPENDS ${made_files})

add_executable(made_judge $<TARGET_OBJECTS:headway-judge> $<TARGET_OBJECTS:headway_mistakes>
                          "${made}/grader/suites/50_made_up/suite.cpp" "${made}/grader/suites/50_made_up/visible.cpp")
target_include_directories(made_judge PRIVATE "${made}/exercises/50_made_up")
target_compile_definitions(made_judge PRIVATE HEADWAY_EXERCISE="50_made_up")
target_link_libraries(made_judge PRIVATE headway_student headway_diagnosis headway_movement headway_settings headway_fmt)

headway_library(made_dispatcher "${made}/grader/suites/50_made_up/dispatcher.cpp" LINK headway_worker headway_movement
                INCLUDE "${made}/exercises/50_made_up")

add_executable(made_lesson_numbers "${PROJECT_SOURCE_DIR}/lessons/numbers/main.cpp" "${made}/lessons/numbers/made_up.cpp"
                                   "${made}/solutions/50_made_up/made_up.cpp")
target_include_directories(made_lesson_numbers PRIVATE "${PROJECT_SOURCE_DIR}/lessons/numbers" "${made}/exercises/50_made_up")
target_link_libraries(made_lesson_numbers PRIVATE lesson_blocks headway_movement headway_settings)
foreach(target IN ITEMS made_judge made_dispatcher made_dispatcher_sanitized made_lesson_numbers)
  add_dependencies(${target} made_exercise)
endforeach()

add_test(NAME new COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/new_test.py" "${PROJECT_SOURCE_DIR}"
                          "${PROJECT_BINARY_DIR}" "${made}" "$<TARGET_FILE:made_judge>" "$<TARGET_FILE:made_dispatcher>"
                          "$<TARGET_FILE:made_dispatcher_sanitized>" "$<TARGET_FILE:made_lesson_numbers>")
set_tests_properties(new PROPERTIES LABELS program TIMEOUT 300)
