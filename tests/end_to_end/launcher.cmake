# The launcher on machines of stand-ins; needs nothing built.
foreach(test launcher needs)
  add_test(NAME ${test} COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/${test}_test.sh" "${CMAKE_SOURCE_DIR}")
endforeach()
