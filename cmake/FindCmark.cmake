# cmark as the target Cmark::Cmark. The file for CMake in Debian's package wants a program from another one.
find_path(CMARK_INCLUDE_DIR cmark.h)
if(HEADWAY_RELEASE)
  find_library(CMARK_LIBRARY NAMES libcmark.a)
else()
  find_library(CMARK_LIBRARY cmark)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cmark REQUIRED_VARS CMARK_LIBRARY CMARK_INCLUDE_DIR)

if(Cmark_FOUND AND NOT TARGET Cmark::Cmark)
  add_library(Cmark::Cmark UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Cmark::Cmark PROPERTIES IMPORTED_LOCATION "${CMARK_LIBRARY}"
                                                     INTERFACE_INCLUDE_DIRECTORIES "${CMARK_INCLUDE_DIR}")
endif()
mark_as_advanced(CMARK_INCLUDE_DIR CMARK_LIBRARY)
