# headway_exercise(NN_name [USES LIBRARY...] [SUITE SOURCE...] [MODEL SOURCE...] [MISTAKES NAME...] [WORKER SOURCE...]
#                  [LINK TARGET...] [PLAIN])
#
# Adds an exercise: grader/suites/NN_name/suite.cpp (and SUITE's sources beside it) to the judge, and a prebuilt
# dispatcher, in both builds, for its workers. USES names what a submission may use besides the tensor core; the rest is
# not linked, so that using what the exercise asks for is an error that the grader can put into words.
# MODEL: sources in the suite's folder with what the exercise adds to the model of diagnosis; MISTAKES: what it adds to the
# catalogue, in order: mistakes/NAME.cpp in that folder holds chapters::NAME().
# WORKER: more sources of the dispatcher; LINK: libraries of others that a submission is linked with; PLAIN: submissions
# run in the plain build alone. A CMakeLists.txt in the suite's folder builds what else the judge needs.
set_property(GLOBAL PROPERTY HEADWAY_EXERCISES "")

function(headway_exercise name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN" "" "USES;SUITE;MODEL;MISTAKES;WORKER;LINK")
  if(HEADWAY_PORTABLE)
    headway_visible_tests(${name} USES ${arg_USES})
    return()
  endif()
  set(suite "${CMAKE_SOURCE_DIR}/grader/suites/${name}")
  if(NOT EXISTS "${HEADWAY_COMPILED}")  # else the judge has it already
    headway_suite(${name} "${suite}" ${arg_SUITE})
    headway_visible_twin(${name} "${suite}" ${arg_USES})
    list(TRANSFORM arg_MODEL PREPEND "${suite}/")
    target_sources(headway_model PRIVATE ${arg_MODEL})
    set_property(GLOBAL APPEND PROPERTY HEADWAY_CHAPTERS ${arg_MISTAKES})
    list(TRANSFORM arg_MISTAKES REPLACE "(.+)" "${suite}/mistakes/\\1.cpp")
    target_sources(headway_mistakes PRIVATE ${arg_MISTAKES})
    if(EXISTS "${suite}/CMakeLists.txt")
      add_subdirectory("${suite}")
    endif()
  endif()

  list(TRANSFORM arg_USES PREPEND headway_)
  list(TRANSFORM arg_WORKER PREPEND "${suite}/")
  headway_library(dispatcher_${name} "${suite}/dispatcher.cpp" ${arg_WORKER} LINK headway_worker ${arg_USES} ${arg_LINK}
                  INCLUDE "${CMAKE_SOURCE_DIR}/exercises/${name}")
  foreach(suffix IN ITEMS "" _sanitized)
    if(suffix AND NOT EXISTS "${HEADWAY_COMPILED}")
      target_compile_options(dispatcher_${name}_sanitized PRIVATE -O1)  # two thirds of what -O2 takes; it computes nothing
    endif()
    if(TARGET headway_worker_headers${suffix})
      headway_reuse(headway_worker_headers${suffix} dispatcher_${name}${suffix})
    endif()
  endforeach()

  headway_editor_entry(${name})
  set_property(GLOBAL APPEND PROPERTY HEADWAY_EXERCISES ${name})
  set_property(GLOBAL PROPERTY HEADWAY_USES_${name} "${arg_USES}")
  set_property(GLOBAL PROPERTY HEADWAY_LINK_${name} "${arg_LINK}")
  set_property(GLOBAL PROPERTY HEADWAY_PLAIN_${name} "${arg_PLAIN}")
endfunction()

# Adds the hidden tests in `folder` to the judge: suite.cpp, what knows the mistakes, and more sources beside it.
function(headway_suite name folder)
  set(sources "${folder}/suite.cpp")
  if(EXISTS "${folder}/diagnosis.cpp")
    list(APPEND sources "${folder}/diagnosis.cpp")
  endif()
  foreach(source IN LISTS ARGN)
    list(APPEND sources "${folder}/${source}")
  endforeach()
  add_library(suite_${name} OBJECT ${sources})
  target_compile_definitions(suite_${name} PRIVATE HEADWAY_EXERCISE="${name}")
  target_link_libraries(suite_${name} PRIVATE headway_diagnosis headway_student headway_movement headway_fmt headway_settings)
  target_compile_options(suite_${name} PRIVATE ${HEADWAY_QUICK_TO_COMPILE})  # what computes is in the reference and the diagnosis
  headway_reuse(headway_judge_headers suite_${name})
  headway_in_batches(suite_${name})
  string(SUBSTRING ${name} 0 2 number)
  if(HEADWAY_SUITES AND NOT number IN_LIST HEADWAY_SUITES)
    set_target_properties(suite_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  target_link_libraries(headway-judge PRIVATE suite_${name} headway_movement)
  target_sources(headway-judge PRIVATE $<TARGET_OBJECTS:suite_${name}>)
  if(EXISTS "${folder}/diagnosis.cpp")
    set_property(GLOBAL APPEND PROPERTY HEADWAY_DIAGNOSED suite_${name})
  endif()
endfunction()

# The hidden tests ask what the visible ones ask: visible.cpp has stand-ins for the exercise's functions, which ask a
# worker, and includes visible_test.cpp. That is everybody's to change in exercises/, so it is taken from there only as
# visible_test.sha256 has it, and not looked at again before that changes.
function(headway_visible_twin name folder)
  if(NOT EXISTS "${folder}/visible.cpp")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/visible_test.sha256")
  file(STRINGS "${folder}/visible_test.sha256" given_out)
  set(taken "${CMAKE_BINARY_DIR}/visible/${name}")
  set(digest "")
  foreach(place IN ITEMS "${CMAKE_SOURCE_DIR}/exercises/${name}" "${taken}")
    if(EXISTS "${place}/visible_test.cpp" AND NOT digest STREQUAL given_out)
      file(SHA256 "${place}/visible_test.cpp" digest)
      if(digest STREQUAL given_out AND NOT place STREQUAL taken)
        file(COPY "${place}/visible_test.cpp" DESTINATION "${taken}")
      endif()
    endif()
  endforeach()
  if(NOT digest STREQUAL given_out)
    message(WARNING "exercises/${name}/visible_test.cpp is not the one that was given out: the hidden tests do without it.")
    return()
  endif()
  target_sources(suite_${name} PRIVATE "${folder}/visible.cpp")
  target_include_directories(suite_${name} PRIVATE "${taken}" "${CMAKE_SOURCE_DIR}/exercises/${name}")
  list(TRANSFORM ARGN PREPEND headway_)
  target_link_libraries(suite_${name} PRIVATE ${ARGN})
  string(SUBSTRING ${name} 0 2 number)
  if(NOT HEADWAY_SUITES OR number IN_LIST HEADWAY_SUITES)
    target_link_libraries(headway-judge PRIVATE ${ARGN})
  endif()
endfunction()

# Writes down the exercises' part of the catalogue, in their order.
function(headway_finish_catalogue)
  get_property(chapters GLOBAL PROPERTY HEADWAY_CHAPTERS)
  set(declared "")
  foreach(chapter IN LISTS chapters)
    string(APPEND declared "Chapter ${chapter}();\n")
  endforeach()
  list(TRANSFORM chapters APPEND "()")
  list(JOIN chapters ", " listed)
  set(source "${CMAKE_BINARY_DIR}/chapters_of_exercises.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT [[
#include "diagnosis/chapters.hpp"

namespace headway::diagnosis::chapters {

@declared@
std::vector<Chapter> of_exercises() { return {@listed@}; }

}  // namespace headway::diagnosis::chapters
]] @ONLY)
  target_sources(headway_mistakes PRIVATE "${source}")
endfunction()

# Puts the student's file and its visible test into compile_commands.json, where editors find how to read them. Never
# built here: that is the grader's business, and a mistake in it must not keep the grader from starting.
function(headway_editor_entry name)
  string(SUBSTRING ${name} 3 -1 stem)
  set(sources "")
  foreach(file IN ITEMS ${stem}.cpp visible_test.cpp)
    if(EXISTS "${CMAKE_SOURCE_DIR}/exercises/${name}/${file}")
      list(APPEND sources "${CMAKE_SOURCE_DIR}/exercises/${name}/${file}")
    endif()
  endforeach()
  if(sources)
    add_library(editor_${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_compile_features(editor_${name} PRIVATE cxx_std_20)
    target_link_libraries(editor_${name} PRIVATE headway_tensor GTest::gtest Eigen3::Eigen)
  endif()
endfunction()

# A JSON array of the arguments.
function(headway_json_array out)
  set(items "")
  foreach(item IN LISTS ARGN)
    list(APPEND items "\"${item}\"")
  endforeach()
  list(JOIN items ", " joined)
  set(${out} "[${joined}]" PARENT_SCOPE)
endfunction()

# Precompiles a header of grader/build with the options of a submission; `out` gets the options that use it.
function(headway_prelude out name build)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  set(folder "${CMAKE_BINARY_DIR}/${name}/${build}")
  set(header "${folder}/${name}.hpp")
  foreach(file IN ITEMS prelude.hpp ${name}.hpp)  # one includes the other, from beside it
    configure_file("${CMAKE_SOURCE_DIR}/grader/build/${file}" "${folder}/${file}" COPYONLY)
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    set(compiled "${folder}/${name}.pch")
    headway_json_array(use -include-pch "${compiled}")
  else()
    set(compiled "${header}.gch")
    headway_json_array(use -include "${header}")
  endif()
  add_custom_command(
    OUTPUT "${compiled}"
    COMMAND "${CMAKE_CXX_COMPILER}" ${ARGN} -w "-I${CMAKE_SOURCE_DIR}/tensor/include" -isystem "${eigen}"
            -x c++-header "${header}" -o "${compiled}" -MD -MF "${compiled}.d" -MT "${compiled}"
    DEPENDS "${header}"
    DEPFILE "${compiled}.d"
    COMMENT "Precompiling what submissions include (${name}, ${build})"
    VERBATIM)
  add_custom_target(precompiled_${name}_${build} ALL DEPENDS "${compiled}")
  set(${out} "${use}" PARENT_SCOPE)
endfunction()

# The target verdict_NN: what grading this exercise alone needs. A newcomer's first verdict need not wait for the workers of
# all others, nor, with HEADWAY_SUITES, for their hidden tests.
function(headway_first_verdict name)
  get_property(uses GLOBAL PROPERTY HEADWAY_USES_${name})
  get_property(others GLOBAL PROPERTY HEADWAY_LINK_${name})
  string(SUBSTRING ${name} 0 2 number)
  set(needed headway-judge headway_engine ${others})
  foreach(target IN ITEMS headway_cli headway-enter headway-guard headway-inspect headway-attention)
    if(TARGET ${target})
      list(APPEND needed ${target})
    endif()
  endforeach()
  foreach(library IN ITEMS dispatcher_${name} ${uses} headway_prelude headway_worker headway_worker_main headway_wire headway_tensor)
    list(APPEND needed ${library})
    if(TARGET ${library}_sanitized)
      list(APPEND needed ${library}_sanitized)
    endif()
  endforeach()
  foreach(build IN ITEMS plain sanitized)
    list(APPEND needed precompiled_prelude_${build})  # the one with Eigen is worth its time to few
  endforeach()
  add_custom_target(verdict_${number} DEPENDS ${needed})
endfunction()

# Writes grader.json: how the CLI compiles and links submissions. Generated here, so that the two cannot disagree.
function(headway_finish_grader)
  if(NOT EXISTS "${HEADWAY_COMPILED}")
    headway_finish_catalogue()
  endif()
  get_property(exercises GLOBAL PROPERTY HEADWAY_EXERCISES)
  set(entries "")
  foreach(name IN LISTS exercises)
    get_property(uses GLOBAL PROPERTY HEADWAY_USES_${name})
    get_property(others GLOBAL PROPERTY HEADWAY_LINK_${name})
    get_property(plain_only GLOBAL PROPERTY HEADWAY_PLAIN_${name})
    set(builds "")
    foreach(build IN ITEMS plain sanitized)
      if(plain_only AND build STREQUAL sanitized)
        continue()
      endif()
      set(suffix "")
      if(build STREQUAL sanitized)
        set(suffix _sanitized)
      endif()
      set(libraries "$<TARGET_FILE:dispatcher_${name}${suffix}>")
      foreach(library IN LISTS uses)
        list(APPEND libraries "$<TARGET_FILE:${library}${suffix}>")
      endforeach()
      foreach(library IN ITEMS headway_prelude headway_worker headway_wire headway_tensor headway_prelude)
        list(APPEND libraries "$<TARGET_FILE:${library}${suffix}>")
      endforeach()
      list(APPEND libraries "$<TARGET_FILE:headway_engine>")
      foreach(library IN LISTS others)
        list(APPEND libraries "$<TARGET_FILE:${library}>")
      endforeach()
      headway_json_array(libraries ${libraries})
      list(APPEND builds "\"${build}\": ${libraries}")
    endforeach()
    headway_first_verdict(${name})
    list(JOIN builds ", " builds)
    list(APPEND entries "    {\"name\": \"${name}\", ${builds}}")
  endforeach()
  list(JOIN entries ",\n" entries)
  headway_lab_entries(labs)
  set(lab_link "")  # labs are linked with libraries that the asan preset sanitizes
  if(HEADWAY_ASAN)
    set(lab_link -fsanitize=address,undefined)
  endif()
  headway_json_array(lab_link ${lab_link})

  set(link_options ${HEADWAY_LINKER})
  set(common -std=c++20 -g1 -pthread ${HEADWAY_FILL_LOCALS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # With -g1 alone a loop of nothing but a jump has the line of what stands before it.
    list(APPEND common -gstatement-frontiers)
  endif()
  set(plain ${common} -O1)
  set(sanitized ${common} -Og ${HEADWAY_SANITIZED_OPTIONS})  # a third less to compile than -O1
  find_library(HEADWAY_LIBDL libdl.so)  # from glibc 2.34 on there is none: it is in libc
  if(HEADWAY_LIBDL)
    list(APPEND link_options -Wl,--push-state,--no-as-needed -ldl -Wl,--pop-state)
  endif()
  set(plain_link ${link_options} -pthread)
  set(sanitized_link ${link_options} -pthread -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # As clang does. The shared library looks up where its thread's data are each time: a tenth of all that is computed.
    include(CheckLinkerFlag)
    check_linker_flag(CXX "-fsanitize=address,undefined;-static-libasan;-static-libubsan" HEADWAY_STATIC_SANITIZERS)
    if(HEADWAY_STATIC_SANITIZERS)
      list(APPEND sanitized_link -static-libasan -static-libubsan)
    endif()
  endif()
  if(HEADWAY_COVERAGE)
    list(APPEND plain --coverage -O0)
    list(APPEND plain_link --coverage)
    list(APPEND sanitized_link --coverage)
  endif()
  set(plain_options ${plain})
  set(sanitized_options ${sanitized})
  headway_json_array(plain ${plain})
  headway_json_array(sanitized ${sanitized})
  headway_json_array(plain_link ${plain_link})
  headway_json_array(sanitized_link ${sanitized_link})
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  foreach(name IN ITEMS prelude prelude_eigen)
    foreach(build IN ITEMS plain sanitized)
      headway_prelude(${build}_${name} ${name} ${build} ${${build}_options})
    endforeach()
  endforeach()
  set(orderly false)
  if(HEADWAY_COVERAGE)
    set(orderly true)
  endif()

  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/grader.json" CONTENT "{
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"compiler_version\": \"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\",
  \"include\": \"${CMAKE_SOURCE_DIR}/tensor/include\",
  \"system_include\": \"${eigen}\",
  \"prelude\": {\"plain\": ${plain_prelude}, \"sanitized\": ${sanitized_prelude}},
  \"prelude_eigen\": {\"plain\": ${plain_prelude_eigen}, \"sanitized\": ${sanitized_prelude_eigen}},
  \"judge\": \"$<TARGET_FILE:headway-judge>\",
  \"orderly\": ${orderly},
  \"compile\": {\"plain\": ${plain}, \"sanitized\": ${sanitized}},
  \"link\": {\"plain\": ${plain_link}, \"sanitized\": ${sanitized_link}},
  \"main\": {\"plain\": \"$<TARGET_OBJECTS:headway_worker_main>\", \"sanitized\": \"$<TARGET_OBJECTS:headway_worker_main_sanitized>\"},
  \"gtest\": [\"$<TARGET_FILE:GTest::gtest_main>\", \"$<TARGET_FILE:GTest::gtest>\"],
  \"exercises\": [\n${entries}\n  ],
  \"lab_link\": ${lab_link},
  \"labs\": [\n${labs}\n  ]
}
")
endfunction()
