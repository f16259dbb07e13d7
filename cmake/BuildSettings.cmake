# What every target of Headway's own code has in common, as interface libraries: no global flags.

# `headway_in_batches(TARGET... [OF NUMBER])`: the sources of these targets are compiled NUMBER at a time, in their order, as one
# file (OF 0, which is the default: all of a target). Most of what a source costs are the headers and templates that its
# neighbours use too. What is not in a header must have a name of its own in its target then. Never used for what a
# submission is linked with.
function(headway_in_batches)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OF" "")
  if(NOT arg_OF)
    set(arg_OF 0)
  endif()
  if(HEADWAY_UNITY)
    set_target_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${arg_OF})
  endif()
endfunction()

# `headway_language`: the language, the warnings, and what the coverage preset adds. Worker libraries use it as it is:
# they exist in a sanitized build of their own.
add_library(headway_language INTERFACE)
target_compile_features(headway_language INTERFACE cxx_std_20)
target_include_directories(headway_language INTERFACE "${CMAKE_SOURCE_DIR}/grader")  # includes name room and file
target_compile_options(headway_language INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(HEADWAY_COVERAGE)
  target_compile_options(headway_language INTERFACE --coverage -O0 -fprofile-update=atomic)
  target_link_options(headway_language INTERFACE --coverage)
endif()

# `headway_find_eigen()`: 3.4 or newer. Asked for 3.4, Eigen 5 (Homebrew's, Fedora's) says that it is something else. A
# macro, since the target that it finds belongs to who calls it.
macro(headway_find_eigen)
  find_package(Eigen3 REQUIRED NO_MODULE)
  if(Eigen3_VERSION VERSION_LESS 3.4)
    message(FATAL_ERROR "Eigen 3.4 is needed, and here is ${Eigen3_VERSION}.")
  endif()
endmacro()

# A quicker linker, if there is one.
find_program(MOLD mold)
set(HEADWAY_LINKER "")
if(MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  set(HEADWAY_LINKER -fuse-ld=mold)
elseif(MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  set(HEADWAY_LINKER "-fuse-ld=${MOLD}")
endif()

# `headway_static_in_release`: for programs that a release must bring along whole.
add_library(headway_static_in_release INTERFACE)
if(HEADWAY_RELEASE)
  target_link_options(headway_static_in_release INTERFACE -static)
endif()

# `headway_settings`: that, and what the asan preset adds.
add_library(headway_settings INTERFACE)
target_link_libraries(headway_settings INTERFACE headway_language)
if(NOT HEADWAY_RELEASE)
  target_link_options(headway_settings INTERFACE ${HEADWAY_LINKER})
endif()
if(HEADWAY_ASAN)
  target_compile_definitions(headway_settings INTERFACE HEADWAY_ASAN)
  target_compile_options(headway_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(headway_settings INTERFACE -fsanitize=address,undefined)
endif()

# For what waits for compilers, workers and people: not worth much of a compiler's time. A third less to compile than -O1
# with lines for a debugger.
set(HEADWAY_QUICK_TO_COMPILE -O0 -g0)
if(HEADWAY_RELEASE)
  set(HEADWAY_QUICK_TO_COMPILE -O1)
endif()

# Local variables hold a pattern until something is written to them. g++ cannot do that before 12; what is read too early
# then shows less often.
set(HEADWAY_FILL_LOCALS -ftrivial-auto-var-init=pattern)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  set(HEADWAY_FILL_LOCALS "")
endif()

# A submission runs in two builds. `plain` is what a user of the library would get; `sanitized` finds what is wrong
# without being visible: reads out of bounds, undefined behaviour, uninitialised memory (filled with a pattern).
# The same options go to the submission itself (see headway_finish_grader) and to what is prebuilt for its worker.
set(HEADWAY_SANITIZED_OPTIONS -fsanitize=address,undefined -fno-sanitize=null,alignment,vptr,object-size
                              -fno-sanitize-recover=all -fno-omit-frame-pointer
                              ${HEADWAY_FILL_LOCALS})

# The student's edition has compiled what its sources would give away, and what would be waited for (see
# classroom/release/).
set(HEADWAY_COMPILED "${CMAKE_SOURCE_DIR}/grader/compiled")

# `headway_bring(FOUND NAME [FILE])`: the library NAME as the edition has it, if it does; FOUND says so.
function(headway_bring found name)
  set(file "${HEADWAY_COMPILED}/lib${name}.a")
  if(ARGC GREATER 2)
    set(file "${HEADWAY_COMPILED}/${ARGV2}")
  endif()
  set(${found} FALSE PARENT_SCOPE)
  if(EXISTS "${file}")
    if(NOT TARGET ${name})
      add_library(${name} STATIC IMPORTED GLOBAL)
      set_property(TARGET ${name} PROPERTY IMPORTED_LOCATION "${file}")
    endif()
    set(${found} TRUE PARENT_SCOPE)
  endif()
endfunction()

# headway_library(NAME SOURCE... [LINK LIBRARY...] [INCLUDE FOLDER...])
# A static library in both builds: NAME and NAME_sanitized. Libraries in LINK that come from here are matched.
function(headway_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;INCLUDE")
  foreach(build IN ITEMS plain sanitized)
    set(suffix "")
    if(build STREQUAL sanitized)
      set(suffix _sanitized)
    endif()
    headway_bring(brought ${name}${suffix})
    if(brought)
      continue()
    endif()
    add_library(${name}${suffix} STATIC ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(${name}${suffix} PRIVATE ${arg_INCLUDE})
    foreach(library IN LISTS arg_LINK)
      if(TARGET ${library}${suffix})
        target_link_libraries(${name}${suffix} PUBLIC ${library}${suffix})
      else()
        target_link_libraries(${name}${suffix} PUBLIC ${library})
      endif()
    endforeach()
    target_link_libraries(${name}${suffix} PRIVATE headway_language)
    if(build STREQUAL sanitized)
      target_compile_options(${name}${suffix} PRIVATE ${HEADWAY_SANITIZED_OPTIONS})
    endif()
  endforeach()
endfunction()
