# utf8proc as the target Utf8proc::Utf8proc. Not every distribution's package comes with a file for CMake.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
if(HEADWAY_RELEASE)
  find_library(UTF8PROC_LIBRARY NAMES libutf8proc.a)
else()
  find_library(UTF8PROC_LIBRARY utf8proc)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Utf8proc REQUIRED_VARS UTF8PROC_LIBRARY UTF8PROC_INCLUDE_DIR)

if(Utf8proc_FOUND AND NOT TARGET Utf8proc::Utf8proc)
  add_library(Utf8proc::Utf8proc UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Utf8proc::Utf8proc PROPERTIES IMPORTED_LOCATION "${UTF8PROC_LIBRARY}"
                                                     INTERFACE_INCLUDE_DIRECTORIES "${UTF8PROC_INCLUDE_DIR}")
endif()
mark_as_advanced(UTF8PROC_INCLUDE_DIR UTF8PROC_LIBRARY)
