// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/content_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/bundle/golden_vectors_for_test.h"
#include "src/bundle/read_ahead.h"
#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

using ::testing::ElementsAre;

// The preimage written down a second time, in the plainest way.
std::string PlainHash(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string preimage;
  const auto append = [&](std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) preimage += static_cast<char>(value >> (8 * i) & 0xFFU);
  };
  for (const auto& [path, content] : files) {
    append(path.size(), 4);
    preimage += path;
    append(content.size(), 8);
    preimage += content;
  }
  return Sha256Hex(preimage);
}

std::string CodeOf(const Result<ContentIdentity>& result) {
  return result ? "accepted" : std::string(result.error().code.text());
}

void Build(const ScratchTree& tree, const Json& entries) {
  for (const Json& entry : entries.as_array()) {
    const Json* raw = entry.Find("path_base64");
    const std::string path =
        raw != nullptr ? DecodeBase64(raw->as_string()) : entry.Find("path")->as_string();
    const std::string& kind = entry.Find("kind")->as_string();
    if (kind == "dir") tree.Directory(path);
    if (kind == "file") tree.File(path, DecodeBase64(entry.Find("base64")->as_string()));
    if (kind == "symlink") tree.Symlink(path, entry.Find("target")->as_string());
  }
}

TEST(ContentHash, AgreesWithTheGoldenVectors) {
  const Json vectors = BundleVectors("content_hash.json");
  for (const Json& row : vectors.Find("synthetic")->as_array()) {
    SCOPED_TRACE(row.Find("name")->as_string());
    const ScratchTree tree;
    Build(tree, *row.Find("entries"));
    const auto plain = HashTree(tree.root());
    const auto committed = HashTree(tree.root(), HashVariant::kCommitted);
    if (row.Find("expect")->as_string() == "reject") {
      EXPECT_EQ(CodeOf(plain), row.Find("code")->as_string());
      EXPECT_EQ(CodeOf(committed), row.Find("committed_code")->as_string());
      continue;
    }
    ASSERT_TRUE(plain);
    ASSERT_TRUE(committed);
    EXPECT_EQ(plain->hash, row.Find("content_hash")->as_string());
    EXPECT_EQ(committed->hash, row.Find("committed_content_hash")->as_string());
    Json::Array order;
    for (const TreeEntry& file : plain->files) order.emplace_back(file.path);
    EXPECT_EQ(Json(order), *row.Find("order"));
  }
}

TEST(ContentHash, HashesTheWorkedPreimage) {
  const ScratchTree tree;
  tree.File("b", "");
  tree.File("a/x", "1");
  EXPECT_EQ(HashTree(tree.root())->hash,
            "619d37af674f70d9eaccd2e2d4295088c8bb38f867d8741860cb97dddb8227ed");
}

TEST(ContentHash, LeavesOnlyTheTopLevelCarrierOutOfTheCommittedHash) {
  const ScratchTree tree;
  tree.File(kCarrierFile, "carrier");
  tree.File("sub/.cacheon-native-artifact.json", "nested");
  EXPECT_EQ(HashTree(tree.root(), HashVariant::kCommitted)->hash,
            PlainHash({{"sub/.cacheon-native-artifact.json", "nested"}}));
}

TEST(ContentHash, DoesNotDependOnBlocksOrTheSecondThread) {
  const ScratchTree tree;
  std::vector<std::pair<std::string, std::string>> files;
  const std::size_t mib = 1U << 20U;
  for (const std::size_t size : {mib - 1, mib, mib + 1, std::size_t{0}, 3 * mib, std::size_t{7}}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 2654435761U >> 13U);
    const std::string path = "f" + std::to_string(files.size());
    tree.File(path, content);
    files.emplace_back(path, std::move(content));
  }
  EXPECT_EQ(HashTree(tree.root())->hash, PlainHash(files));
}

TEST(ContentHash, RefusesARootThatIsNoDirectory) {
  const ScratchTree tree;
  tree.File("file", "x");
  const auto result = HashTree(tree.Path("file"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code("bundle.not_directory"));
  EXPECT_EQ(result.error().where.file, tree.Path("file"));
}

TEST(ContentHash, RefusesATreeWithoutKeptFiles) {
  const ScratchTree tree;
  tree.File("__pycache__/k.py", "x");
  const auto result = HashTree(tree.root());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code("bundle.empty"));
  EXPECT_EQ(result.error().where.file, tree.root());
}

TEST(ContentHash, RefusesAFileNameThatIsNotUtf8) {
  const ScratchTree tree;
  tree.File("k\xff.py", "x");
  const auto result = HashTree(tree.root());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code("bundle.path_not_utf8"));
  EXPECT_EQ(result.error().where.file, "k\xff.py");
}

TEST(ContentHash, IgnoresLinksLoopsAndSpecialFiles) {
  const ScratchTree tree;
  tree.File("k.py", "x");
  tree.Symlink("loop", ".");
  tree.Symlink("self", "self");
  tree.Symlink("passwd", "/etc/passwd");
  tree.Fifo("pipe");
  EXPECT_EQ(HashTree(tree.root())->hash, PlainHash({{"k.py", "x"}}));
}

TEST(ContentHash, ReadsSparseFilesAndHardLinksAsWhatTheyContain) {
  const ScratchTree tree;
  tree.File("a", "");
  ASSERT_EQ(truncate(tree.Path("a").c_str(), 5 << 20), 0);
  ASSERT_EQ(link(tree.Path("a").c_str(), tree.Path("b").c_str()), 0);
  const std::string zeros(5U << 20U, '\0');
  EXPECT_EQ(HashTree(tree.root())->hash, PlainHash({{"a", zeros}, {"b", zeros}}));
}

// A listing from before a change stands for a file that changes while it is read.
class NullSink final : public FileSink {
 public:
  Status OnFile(const TreeEntry&, std::uint64_t) override { return {}; }
  Status OnBytes(std::span<const std::byte>) override { return {}; }
};

TEST(ContentHash, NoticesAFileThatChangesMeanwhile) {
  const ScratchTree tree;
  tree.File("a", "1");
  tree.File("b", "22");
  const auto files = KeptFiles(tree.root());
  ASSERT_TRUE(files);
  const auto code_after = [&](auto change) {
    change();
    NullSink sink;
    const Status status = ReadFiles(tree.root(), *files, sink);
    EXPECT_EQ(status.error().where.file, "b");
    return status.error().code;
  };
  EXPECT_EQ(code_after([&] { tree.File("b", "333"); }), Code("tree.changed"));
  EXPECT_EQ(code_after([&] { unlink(tree.Path("b").c_str()); }), Code("tree.changed"));
  EXPECT_EQ(code_after([&] { tree.Symlink("b", "a"); }), Code("tree.changed"));
}

TEST(ContentHash, StopsWhenTheSinkRefuses) {
  class RefusingSink final : public FileSink {
   public:
    Status OnFile(const TreeEntry& file, std::uint64_t) override {
      return Fail("archive.total_size", "enough", {.file = file.path});
    }
    Status OnBytes(std::span<const std::byte>) override { return {}; }
  };
  const ScratchTree tree;
  tree.File("big", std::string(16U << 20U, 'x'));
  RefusingSink sink;
  const Status status = ReadFiles(tree.root(), *KeptFiles(tree.root()), sink);
  EXPECT_EQ(status.error().where.file, "big");
}

}  // namespace
}  // namespace cacheon::bundle
