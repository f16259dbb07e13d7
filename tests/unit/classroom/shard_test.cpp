// A shard's folder: what is written in it stays, even if several write and lines are torn.
#include "classroom/shard.hpp"

#include "submission/digest.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace headway::classroom {
namespace {

using gradebook::Graded;
using gradebook::Job;

/// Bytes that are no UTF-8, and all the letters that a line or a quotation could end with.
const std::string odd_text = std::string("// \xff\xfe \n\"\\ ") + '\0' + "\r\n";

build::Submission submission(const std::string& text) { return {"03_scaled_scores", {}, {{"a/b.cpp", text}}, {}}; }
Job job(const build::Submission& source) { return {source.exercise, source.digest(), "suite"}; }

Graded graded(const Job& job) {
    Graded graded;
    graded.exercise.name = job.exercise;
    graded.exercise.digest = "d";
    graded.exercise.state = verdict::State::failed;
    graded.exercise.points = 7;
    graded.log = "first\nsecond\n";
    graded.graded = "2026-05-01T12:00:00Z";
    return graded;
}

class ShardFolder : public testing::Test {
protected:
    ShardFolder() {
        Manifest manifest{18446744073709551615U, {{"03_scaled_scores", "suite"}}, {}};
        for (const build::Submission& source : sources_) manifest.work.emplace_back(job(source), source);
        write_manifest(shard_, manifest);
    }

    std::vector<ResultEntry> results() const {
        std::vector<ResultEntry> entries;
        ResultReader(shard_).read([&](ResultEntry entry) { entries.push_back(std::move(entry)); });
        return entries;
    }
    std::string text() const { return build::read_file(shard_ / "results"); }
    void rewrite(const std::string& text) const { std::ofstream(shard_ / "results", std::ios::binary) << text; }

    build::TemporaryFolder folder_;
    std::filesystem::path shard_ = folder_.path() / "headway-1" / "0";
    std::vector<build::Submission> sources_ = {submission("1"), submission(odd_text), submission("3")};
};

TEST_F(ShardFolder, HoldsWhatWasHandedInByteByByte) {
    Shard shard(shard_);
    EXPECT_EQ(shard.seed(), 18446744073709551615U);
    ASSERT_EQ(shard.pending().size(), 3U);
    const build::Submission source = shard.source(shard.pending()[1]);
    EXPECT_EQ(source.files.front().text, odd_text);
    EXPECT_EQ(source.files.front().path, "a/b.cpp");
    EXPECT_EQ(shard.pending()[1].suite, "suite");
}

TEST_F(ShardFolder, TheNextRunGoesOnWhereTheLastOneWas) {
    {
        Shard first(shard_);
        first.begin(first.pending()[1]);
        first.store(first.pending()[1], graded(first.pending()[1]));
        first.begin(first.pending()[0]);
    }
    Shard second(shard_);
    ASSERT_EQ(second.pending().size(), 2U);
    EXPECT_EQ(second.pending()[0].source, sources_[0].digest());
    const auto entries = results();
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].kind, ResultEntry::Kind::begun);
    EXPECT_EQ(entries[1].kind, ResultEntry::Kind::verdict);
    EXPECT_EQ(entries[1].job.source, sources_[1].digest());
    EXPECT_EQ(entries[1].job.suite, "suite");
    EXPECT_EQ(entries[1].graded.log, "first\nsecond\n");
    EXPECT_EQ(entries[1].graded.graded, "2026-05-01T12:00:00Z");
    EXPECT_EQ(entries[1].graded.exercise.points, 7);
    EXPECT_EQ(entries[1].graded.exercise.state, verdict::State::failed);
}

TEST_F(ShardFolder, AnOutageIsNoVerdict) {
    Shard shard(shard_);
    shard.store_outage(shard.pending()[0], "the disk is full");
    EXPECT_EQ(Shard(shard_).pending().size(), 3U);
    ASSERT_EQ(results().size(), 1U);
    EXPECT_EQ(results()[0].kind, ResultEntry::Kind::outage);
    EXPECT_EQ(results()[0].problem, "the disk is full");
}

TEST_F(ShardFolder, WhereverALineIsCutOffTheNextOneIsWhole) {
    Job first;
    {
        Shard shard(shard_);
        first = shard.pending()[0];
        shard.store(first, graded(first));
    }
    const std::string whole = text();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        rewrite(whole.substr(0, length));
        EXPECT_TRUE(results().empty()) << length;
        Shard shard(shard_);
        const bool lacks_only_its_end = length + 1 == whole.size();
        ASSERT_EQ(shard.pending().size(), lacks_only_its_end ? 2U : 3U) << length;
        shard.store(first, graded(first));
        ASSERT_EQ(results().size(), 1U) << length;
        EXPECT_EQ(results()[0].graded.exercise.points, 7);
    }
}

TEST_F(ShardFolder, AChangedByteMakesALineCountAsNeverWritten) {
    {
        Shard shard(shard_);
        for (const Job& job : shard.pending()) shard.store(job, graded(job));
    }
    const std::string whole = text();
    const std::size_t second = whole.find('\n') + 1;
    const std::size_t third = whole.find('\n', second) + 1;
    for (std::size_t i = second; i < third; i += 7) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        rewrite(changed);
        EXPECT_EQ(results().size(), 2U) << i;
    }
}

TEST_F(ShardFolder, AReaderGetsEachLineOnceAndWaitsForTheRestOfOne) {
    Shard shard(shard_);
    ResultReader reader(shard_);
    std::size_t count = 0;
    const auto read = [&] {
        reader.read([&](const ResultEntry&) { ++count; });
        return count;
    };
    EXPECT_EQ(read(), 0U);
    shard.begin(shard.pending()[0]);
    EXPECT_EQ(read(), 1U);
    EXPECT_EQ(read(), 1U);
    shard.store(shard.pending()[0], graded(shard.pending()[0]));
    const std::string whole = text();
    rewrite(whole.substr(0, whole.size() - 1));
    EXPECT_EQ(read(), 1U);
    rewrite(whole);
    EXPECT_EQ(read(), 2U);
}

TEST_F(ShardFolder, TwoWhoWriteAtOnceLoseNothing) {
    Shard ghost(shard_);  // of a node that was given up and lives
    Shard other(shard_);
    const auto jobs = ghost.pending();
    for (const Job& job : jobs) {
        ghost.store(job, graded(job));
        other.store(job, graded(job));
    }
    EXPECT_EQ(results().size(), 6U);
    EXPECT_TRUE(Shard(shard_).pending().empty());
}

TEST_F(ShardFolder, AFolderThatIsNoShardIsSaidToBeNone) {
    EXPECT_THROW(Shard(folder_.path() / "nowhere"), ShardError);
    const std::string manifest = build::read_file(shard_ / "manifest");
    std::ofstream(shard_ / "manifest", std::ios::binary) << manifest.substr(0, manifest.size() / 2);
    EXPECT_THROW(Shard{shard_}, ShardError);
}

TEST_F(ShardFolder, WhatWasChangedInTheManifestIsNotGraded) {
    Manifest manifest = read_manifest(shard_);
    manifest.work[0].second.files[0].text = "another program";
    write_manifest(shard_, manifest);
    Shard shard(shard_);
    EXPECT_THROW(shard.source(shard.pending()[0]), std::runtime_error);
    EXPECT_NO_THROW(shard.source(shard.pending()[1]));
}

}  // namespace
}  // namespace headway::classroom
