# libarchive as the target LibArchive::LibArchive. In a release it is static, with the libraries that its readers call,
# but zstd and lz4: see grader/intake/unused_codecs.cpp.
if(NOT HEADWAY_RELEASE)
  include("${CMAKE_ROOT}/Modules/FindLibArchive.cmake")
  return()
endif()

find_path(LibArchive_INCLUDE_DIR archive.h)
set(LibArchive_needed)
foreach(library IN ITEMS archive nettle lzma bz2 z)
  find_library(LibArchive_${library} NAMES lib${library}.a)
  list(APPEND LibArchive_needed LibArchive_${library})
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LibArchive REQUIRED_VARS LibArchive_INCLUDE_DIR ${LibArchive_needed}
  REASON_FAILURE_MESSAGE "a release brings them along. On Debian: apt install libarchive-dev nettle-dev liblzma-dev libbz2-dev")

if(LibArchive_FOUND AND NOT TARGET LibArchive::LibArchive)
  add_library(LibArchive::LibArchive INTERFACE IMPORTED GLOBAL)
  target_include_directories(LibArchive::LibArchive SYSTEM INTERFACE "${LibArchive_INCLUDE_DIR}")
  foreach(library IN LISTS LibArchive_needed)
    target_link_libraries(LibArchive::LibArchive INTERFACE "${${library}}")
  endforeach()
endif()
