add_executable(class_overhead class_overhead.cpp)
target_include_directories(class_overhead PRIVATE "${PROJECT_SOURCE_DIR}/grader")
target_link_libraries(class_overhead PRIVATE headway_class headway_settings)
