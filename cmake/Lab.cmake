# headway_lab(NAME PURPOSE TEXT EXERCISES NN_name... SOURCES FILE... [LINK LIBRARY...])
#
# Adds a lab: a program of the course's, without what the student writes in the exercises. `./headway lab NAME` compiles
# that and links both, with what those exercises may use. LINK names more of the course's libraries, such as another
# lab's parts.
set_property(GLOBAL PROPERTY HEADWAY_LABS "")
add_custom_target(headway_labs COMMENT "The labs are built")

function(headway_lab name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PURPOSE" "EXERCISES;SOURCES;LINK")
  add_library(lab_${name} STATIC ${arg_SOURCES})
  target_link_libraries(lab_${name} PRIVATE ${arg_LINK} lab_frame headway_nn headway_settings CLI11::CLI11 fmt::fmt)
  headway_in_batches(lab_${name})
  set(uses "")
  foreach(exercise IN LISTS arg_EXERCISES)
    target_include_directories(lab_${name} PUBLIC "${CMAKE_SOURCE_DIR}/exercises/${exercise}")
    get_property(more GLOBAL PROPERTY HEADWAY_USES_${exercise})
    list(APPEND uses ${more})
  endforeach()
  list(REMOVE_DUPLICATES uses)
  add_dependencies(headway_labs lab_${name})  # and all that it links
  set_property(GLOBAL APPEND PROPERTY HEADWAY_LABS ${name})
  set_property(GLOBAL PROPERTY HEADWAY_LAB_${name}_PURPOSE "${arg_PURPOSE}")
  set_property(GLOBAL PROPERTY HEADWAY_LAB_${name}_EXERCISES "${arg_EXERCISES}")
  set_property(GLOBAL PROPERTY HEADWAY_LAB_${name}_LIBRARIES "lab_${name};${arg_LINK};lab_frame;headway_report;headway_terminal;headway_verdict;${uses};headway_tensor;headway_engine;fmt::fmt;Utf8proc::Utf8proc")
endfunction()

# The labs as JSON, for grader.json: libraries in the order in which a linker needs them.
function(headway_lab_entries out)
  get_property(labs GLOBAL PROPERTY HEADWAY_LABS)
  set(entries "")
  foreach(name IN LISTS labs)
    get_property(purpose GLOBAL PROPERTY HEADWAY_LAB_${name}_PURPOSE)
    get_property(exercises GLOBAL PROPERTY HEADWAY_LAB_${name}_EXERCISES)
    get_property(libraries GLOBAL PROPERTY HEADWAY_LAB_${name}_LIBRARIES)
    list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    headway_json_array(exercises ${exercises})
    headway_json_array(libraries ${libraries})
    list(APPEND entries
         "    {\"name\": \"${name}\", \"purpose\": \"${purpose}\", \"exercises\": ${exercises}, \"libraries\": ${libraries}}")
  endforeach()
  list(JOIN entries ",\n" entries)
  set(${out} "${entries}" PARENT_SCOPE)
endfunction()
