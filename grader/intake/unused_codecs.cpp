// libarchive can also unpack what zstd and lz4 have compressed, which nobody hands in. A release links libarchive as it
// is, and many systems have no static zstd or lz4: these stand for them. No stream of zstd can be made, so such an
// archive is refused, as one that cannot be unpacked; lz4 is never asked for (packed_bytes.cpp lists what is).
#include <cstddef>

extern "C" {

void* ZSTD_createDStream() { return nullptr; }
std::size_t ZSTD_initDStream(void*) { return 1; }
std::size_t ZSTD_freeDStream(void*) { return 0; }
std::size_t ZSTD_DStreamOutSize() { return 1; }
std::size_t ZSTD_decompressStream(void*, void*, void*) { return 1; }
unsigned ZSTD_isError(std::size_t result) { return result == 0 ? 0 : 1; }
const char* ZSTD_getErrorName(std::size_t) { return "zstd is not supported"; }

int LZ4_decompress_safe(const char*, char*, int, int) { return -1; }
int LZ4_decompress_safe_usingDict(const char*, char*, int, int, const char*, int) { return -1; }
}
