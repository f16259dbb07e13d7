# PCRE2 for UTF-8, as the target PCRE2::8BIT. Not every distribution's package comes with a file for CMake.
find_path(PCRE2_INCLUDE_DIR pcre2.h)
if(HEADWAY_RELEASE)
  find_library(PCRE2_8BIT_LIBRARY NAMES libpcre2-8.a)
else()
  find_library(PCRE2_8BIT_LIBRARY pcre2-8)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PCRE2 REQUIRED_VARS PCRE2_8BIT_LIBRARY PCRE2_INCLUDE_DIR)

if(PCRE2_FOUND AND NOT TARGET PCRE2::8BIT)
  add_library(PCRE2::8BIT UNKNOWN IMPORTED GLOBAL)
  set_target_properties(PCRE2::8BIT PROPERTIES IMPORTED_LOCATION "${PCRE2_8BIT_LIBRARY}"
                                               INTERFACE_INCLUDE_DIRECTORIES "${PCRE2_INCLUDE_DIR}")
endif()
mark_as_advanced(PCRE2_INCLUDE_DIR PCRE2_8BIT_LIBRARY)
