# headway_precompiled(NAME HEADER... [LINK LIBRARY...])
#
# Headers of other libraries that most sources include, read once: about half of what compiling costs. Targets with equal
# options share them by `target_precompile_headers(TARGET REUSE_FROM NAME)`; optimisation comes from the folder that NAME
# is made in. Sources include what they use all the same: the lint preset reads them without.
function(headway_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Only its precompiled headers are of use.\n")
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE ${arg_LINK} headway_settings)
  target_precompile_headers(${name} PRIVATE
    <algorithm> <chrono> <cmath> <filesystem> <functional> <map> <memory> <optional> <sstream> <string> <variant> <vector>
    ${arg_UNPARSED_ARGUMENTS})
endfunction()

# headway_reuse(NAME TARGET...): the targets start from the headers that NAME has precompiled.
function(headway_reuse name)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endforeach()
endfunction()
