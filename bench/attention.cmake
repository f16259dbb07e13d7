# The solutions' attention beside PyTorch's. What the grader links has no BLAS, whose threads and start would cost each
# verdict, and is the same on every machine: so the tensor library is built here a second time, for this processor, and
# with Eigen's products from a BLAS.
option(HEADWAY_BLAS "Benchmark `attention`: Eigen's products come from a BLAS, where one is installed" ON)
include(PythonWithTorch)

set(sources "")
foreach(library IN ITEMS engine tensor nn movement given_split_heads given_attention given_merge_heads)
  get_target_property(of_library headway_${library} SOURCES)
  get_target_property(folder headway_${library} SOURCE_DIR)
  list(TRANSFORM of_library PREPEND "${folder}/")
  list(APPEND sources ${of_library})
endforeach()
set(options -O3 -march=native -fno-trapping-math)
add_library(tensor_at_speed STATIC ${sources})
target_include_directories(tensor_at_speed PUBLIC "${PROJECT_SOURCE_DIR}/tensor/include")
target_compile_options(tensor_at_speed PRIVATE ${options}
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # g++ 12 sees ghosts in its own AVX-512 header
target_compile_definitions(tensor_at_speed PRIVATE EIGEN_NO_DEBUG)
target_link_libraries(tensor_at_speed PUBLIC headway_language PRIVATE Eigen3::Eigen)
if(HEADWAY_BLAS)
  if(NOT BLA_VENDOR)
    set(BLA_VENDOR OpenBLAS)  # not whatever is found: the reference BLAS is slower than Eigen alone
  endif()
  find_package(BLAS)
  if(BLAS_FOUND)
    target_compile_definitions(tensor_at_speed PUBLIC HEADWAY_BLAS)
    target_link_libraries(tensor_at_speed PUBLIC BLAS::BLAS)
  else()
    message(STATUS "Benchmark `attention`: no ${BLA_VENDOR}, so Eigen alone (on Debian: apt install libopenblas-dev)")
  endif()
endif()

add_executable(attention_bench attention.cpp memory.cpp pytorch.cpp stopwatch.cpp)
set_target_properties(attention_bench PROPERTIES OUTPUT_NAME attention)
foreach(exercise IN ITEMS 03_scaled_scores 05_module 10_tiled_attention 11_long_texts 12_small_numbers)
  string(SUBSTRING ${exercise} 3 -1 stem)
  target_sources(attention_bench PRIVATE "${PROJECT_SOURCE_DIR}/solutions/${exercise}/${stem}.cpp")
  target_include_directories(attention_bench PRIVATE "${PROJECT_SOURCE_DIR}/exercises/${exercise}")
endforeach()
target_compile_options(attention_bench PRIVATE ${options})
target_link_libraries(attention_bench PRIVATE tensor_at_speed)
list(JOIN options " " built_with)
target_compile_definitions(attention_bench PRIVATE PYTHON="${HEADWAY_PYTHON_WITH_TORCH}" BUILT_WITH="${built_with}"
                                                   ATTENTION_PY="${CMAKE_CURRENT_SOURCE_DIR}/attention.py")

# That build computes the same: `tensor_at_speed_test` runs the tensor library's own tests on it.
if(HEADWAY_TESTS)
  get_target_property(tests tensor_test SOURCES)
  get_target_property(folder tensor_test SOURCE_DIR)
  list(TRANSFORM tests PREPEND "${folder}/")
  add_executable(tensor_at_speed_test ${tests})
  target_link_libraries(tensor_at_speed_test PRIVATE tensor_at_speed Eigen3::Eigen GTest::gmock GTest::gtest_main)
  add_test(NAME bench.TensorAtSpeed COMMAND tensor_at_speed_test)
endif()
