# The launcher on a machine of stand-ins; needs nothing built.
add_test(NAME launcher COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/launcher_test.sh" "${CMAKE_SOURCE_DIR}")
