# Matrix products of the tensor library beside Eigen's own, in one run. For numbers that mean something: Release.
find_package(benchmark REQUIRED)

add_executable(matmul_bench ${CMAKE_CURRENT_LIST_DIR}/matmul.cpp)
target_link_libraries(matmul_bench PRIVATE headway_tensor headway_movement headway_settings Eigen3::Eigen
                                           benchmark::benchmark)
target_compile_options(matmul_bench PRIVATE -O3)  # Eigen's side gets what the engine gets
target_compile_definitions(matmul_bench PRIVATE EIGEN_NO_DEBUG)
