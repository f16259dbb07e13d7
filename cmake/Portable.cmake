# The preset `portable`: no grader, only what also builds on macOS. Each exercise's stub is compiled, and its visible tests
# run on the solution, with clang++ and libc++, which are macOS's.

# A libc++ program takes a GoogleTest of its own: Debian's is built with libstdc++, and comes as sources too. Homebrew's is
# built with libc++.
set(HEADWAY_GOOGLETEST_SOURCES "/usr/src/googletest" CACHE PATH "GoogleTest to build, if it is there")
if(EXISTS "${HEADWAY_GOOGLETEST_SOURCES}/CMakeLists.txt")
  set(BUILD_GMOCK OFF CACHE BOOL "" FORCE)
  set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
  add_subdirectory("${HEADWAY_GOOGLETEST_SOURCES}" googletest EXCLUDE_FROM_ALL)
else()
  find_package(GTest REQUIRED)
endif()
headway_find_eigen()

# headway_visible_tests(NN_name USES LIBRARY...): the stub as an object, and the test visible.NN.
function(headway_visible_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  string(SUBSTRING ${name} 0 2 number)
  string(SUBSTRING ${name} 3 -1 stem)
  set(folder "${CMAKE_SOURCE_DIR}/exercises/${name}")
  add_library(stub_${number} OBJECT "${CMAKE_SOURCE_DIR}/stubs/${name}/${stem}.cpp")
  add_executable(visible_${number} "${CMAKE_SOURCE_DIR}/solutions/${name}/${stem}.cpp" "${folder}/visible_test.cpp")
  set(libraries headway_tensor)
  foreach(library IN LISTS arg_USES)
    if(TARGET headway_${library})  # others are the worker's
      list(APPEND libraries headway_${library})
    endif()
  endforeach()
  foreach(target IN ITEMS stub_${number} visible_${number})
    target_include_directories(${target} PRIVATE "${folder}")
    target_link_libraries(${target} PRIVATE ${libraries} GTest::gtest_main headway_language)
  endforeach()
  add_test(NAME visible.${number} COMMAND visible_${number})
endfunction()
