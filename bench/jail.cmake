add_executable(jail_start jail_start.cpp)
target_link_libraries(jail_start PRIVATE headway_sandbox headway_settings)
add_dependencies(jail_start headway-enter headway-guard headway-inspect)
