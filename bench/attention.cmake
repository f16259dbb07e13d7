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
foreach(exercise IN ITEMS 03_scaled_scores 05_module 10_tiled_attention)
  string(SUBSTRING ${exercise} 3 -1 stem)
  list(APPEND sources "${PROJECT_SOURCE_DIR}/solutions/${exercise}/${stem}.cpp")
  list(APPEND includes "${PROJECT_SOURCE_DIR}/exercises/${exercise}")
endforeach()

add_executable(attention_bench attention.cpp memory.cpp pytorch.cpp stopwatch.cpp ${sources})
set_target_properties(attention_bench PROPERTIES OUTPUT_NAME attention)
target_include_directories(attention_bench PRIVATE "${PROJECT_SOURCE_DIR}/tensor/include" ${includes})
target_link_libraries(attention_bench PRIVATE headway_language Eigen3::Eigen)
set(options -O3 -march=native)
target_compile_options(attention_bench PRIVATE ${options})
list(JOIN options " " built_with)
target_compile_definitions(attention_bench PRIVATE
  EIGEN_NO_DEBUG PYTHON="${HEADWAY_PYTHON_WITH_TORCH}" BUILT_WITH="${built_with}"
  ATTENTION_PY="${CMAKE_CURRENT_SOURCE_DIR}/attention.py")
if(HEADWAY_BLAS)
  if(NOT BLA_VENDOR)
    set(BLA_VENDOR OpenBLAS)  # not whatever is found: the reference BLAS is slower than Eigen alone
  endif()
  find_package(BLAS)
  if(BLAS_FOUND)
    target_compile_definitions(attention_bench PRIVATE HEADWAY_BLAS EIGEN_USE_BLAS)
    target_link_libraries(attention_bench PRIVATE BLAS::BLAS)
  else()
    message(STATUS "Benchmark `attention`: no ${BLA_VENDOR}, so Eigen alone (on Debian: apt install libopenblas-dev)")
  endif()
endif()
