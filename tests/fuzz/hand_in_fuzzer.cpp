// An archive that a student hands in: whatever it holds, what is kept of it has harmless names and a bounded size.
// Inputs that begin with 'R' are an archive as it is; any other describes one (see Script), which libarchive writes:
// mutations of that reach our own rules instead of libarchive's checksums.
#include "text_in.hpp"

#include "intake/hand_in.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace {

using namespace headway;

constexpr std::array names = {"scaled_scores.cpp",
                              "03_scaled_scores/scaled_scores.cpp",
                              "exercises/03_scaled_scores/scaled_scores.cpp",
                              "x/exercises/03_scaled_scores/a.hpp",
                              "03_scaled_scores/scaled_scores.hpp",
                              "03_scaled_scores",
                              "exercises",
                              "../03_scaled_scores/a.cpp",
                              "/etc/a.cpp",
                              "a\\b.cpp",
                              "./03_scaled_scores//a.cpp",
                              "__MACOSX/03_scaled_scores/._a.cpp",
                              "03_scaled_scores/.git/a.cpp",
                              "03_scaled_scores/@opts.cpp",
                              "03_scaled_scores/-o.cpp"};

/// An archive as the input describes it.
std::vector<char> written_archive(FuzzedDataProvider& input) {
    archive* writer = archive_write_new();
    switch (input.ConsumeIntegralInRange(0, 3)) {
        case 0:
            archive_write_set_format_zip(writer);
            break;
        case 1:
            archive_write_set_format_ustar(writer);
            break;
        case 2:
            archive_write_set_format_pax(writer);
            break;
        default:
            archive_write_set_format_gnutar(writer);
            archive_write_add_filter_gzip(writer);
    }
    std::vector<char> bytes(64U << 10U);
    std::size_t used = 0;
    archive_write_set_bytes_in_last_block(writer, 1);
    if (archive_write_open_memory(writer, bytes.data(), bytes.size(), &used) == ARCHIVE_OK) {
        for (int i = 0; i < 24 && input.remaining_bytes() > 0; ++i) {
            archive_entry* entry = archive_entry_new();
            const bool known = input.ConsumeBool();
            const std::string name =
                known ? std::string(input.PickValueInArray(names)) : input.ConsumeRandomLengthString(900);
            const std::string data = input.ConsumeRandomLengthString(200);
            constexpr std::array<unsigned, 6> types = {AE_IFREG, AE_IFREG, AE_IFREG, AE_IFDIR, AE_IFLNK, AE_IFCHR};
            archive_entry_set_pathname(entry, name.c_str());
            archive_entry_set_filetype(entry, input.PickValueInArray(types));
            archive_entry_set_perm(entry, 0644);
            if (input.ConsumeIntegralInRange(0, 15) == 0) archive_entry_set_hardlink(entry, "a.cpp");
            if (archive_entry_filetype(entry) == AE_IFLNK) archive_entry_set_symlink(entry, "/etc/passwd");
            const bool has_data = archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
            archive_entry_set_size(entry, has_data ? static_cast<la_int64_t>(data.size()) : 0);
            if (archive_write_header(writer, entry) == ARCHIVE_OK && has_data)
                archive_write_data(writer, data.data(), data.size());
            archive_entry_free(entry);
        }
        archive_write_close(writer);
    }
    archive_write_free(writer);
    bytes.resize(used);
    // Damage where a checksum does not look.
    for (int i = input.ConsumeIntegralInRange(0, 3); i > 0 && !bytes.empty(); --i)
        bytes[input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)] = input.ConsumeIntegral<char>();
    return bytes;
}

void check_path(const std::string& path) {
    fuzz::require(!path.empty() && path.front() != '/' && path.find('\\') == std::string::npos);
    fuzz::require(intake::FileTree::checked_path(path) == path);
    for (const auto& part : std::filesystem::path(path)) fuzz::require(!part.empty() && part != ".." && part != ".");
}

/// Course's exercise, with the header that replaces a submitted one.
const std::filesystem::path& course_folder() {
    static const fuzz::InputFile header("03_scaled_scores.hpp");
    static const std::filesystem::path folder = [] {
        const auto made = header.path().parent_path() / "03_scaled_scores";
        std::filesystem::create_directories(made);
        std::ofstream(made / "scaled_scores.hpp") << "#pragma once\n";
        return made;
    }();
    return folder;
}

void read(const std::filesystem::path& file) {
    // Small, so that inputs of a few KB reach them.
    const intake::Bounds bounds{.bytes = 4096, .entries = 16, .archive_bytes = 64U << 10U};
    try {
        const intake::FileTree tree = intake::read_archive(file, bounds);
        std::size_t bytes = 0;
        for (const auto& [path, text] : tree.files()) {
            check_path(path);
            fuzz::require(intake::FileTree::counts(path));
            bytes += text.size();
        }
        fuzz::require(bytes <= bounds.bytes && tree.files().size() <= bounds.entries);
    } catch (const intake::Malformed&) {
    }
    try {
        intake::HandIn hand_in;
        hand_in.student = "s1";
        hand_in.paths = {file};
        for (const build::Submission& submission : read_hand_in(hand_in, {{"03_scaled_scores", course_folder()}}))
            for (const build::SourceFile& source : submission.files) {
                check_path(source.path.string());
                fuzz::require(source.path != "scaled_scores.hpp" && source.path != "visible_test.cpp");
            }
    } catch (const intake::Malformed&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const fuzz::InputFile file("hand_in.zip");
    if (data[0] == 'R') {
        read(file.holding(fuzz::as_text(data + 1, size - 1)));
        return 0;
    }
    FuzzedDataProvider input(data, size);
    const std::vector<char> bytes = written_archive(input);
    read(file.holding({bytes.data(), bytes.size()}));
    return 0;
}
