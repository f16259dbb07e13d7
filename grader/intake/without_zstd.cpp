// libarchive's reader of zips can also unpack what zstd has compressed, which nobody hands in. A release links
// libarchive as it is, and many systems have no static zstd: then these stand for it. No stream can be made, so such an
// archive is refused, as one that cannot be unpacked.
#include <cstddef>

extern "C" {

void* ZSTD_createDStream() { return nullptr; }
std::size_t ZSTD_initDStream(void*) { return 1; }
std::size_t ZSTD_freeDStream(void*) { return 0; }
std::size_t ZSTD_DStreamOutSize() { return 1; }
std::size_t ZSTD_decompressStream(void*, void*, void*) { return 1; }
unsigned ZSTD_isError(std::size_t result) { return result == 0 ? 0 : 1; }
const char* ZSTD_getErrorName(std::size_t) { return "zstd is not supported"; }
}
