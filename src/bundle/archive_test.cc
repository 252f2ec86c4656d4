// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cacheon/bundle/content_hash.h"
#include "cacheon/core/sha256.h"
#include "src/bundle/golden_vectors_for_test.h"
#include "src/bundle/gzip_stream.h"
#include "src/bundle/scratch_tree_for_test.h"
#include "src/bundle/tar_header.h"

namespace cacheon::bundle {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Gzip(std::string_view content) {
  const ScratchTree scratch;
  const std::string path = scratch.Path("gz");
  const UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT, 0600));
  GzipWriter writer(fd.get(), UINT64_MAX);
  EXPECT_TRUE(writer.Write(content));
  EXPECT_TRUE(writer.Finish());
  return *ReadFile(path, SIZE_MAX);
}

// A tar that is written by hand.
class TarText {
 public:
  TarText& File(std::string_view path, std::string_view content) {
    text_ += WriteTarHeaders(path, content.size());
    return Raw(content);
  }
  // A header of another type, or with a size that lies.
  TarText& Member(std::string_view path, char type, std::string_view content = "") {
    std::string header = WriteTarHeaders(path, content.size());
    constexpr std::size_t kChecksumAt = 148;
    constexpr std::size_t kTypeAt = 156;
    header[kTypeAt] = type;
    std::fill_n(header.begin() + kChecksumAt, 8, ' ');
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(header.data() + kChecksumAt, 8, "%06o", sum);
    text_ += header;
    return Raw(content);
  }
  TarText& Raw(std::string_view content) {
    text_ += content;
    text_.append(TarPadding(content.size()), '\0');
    return *this;
  }
  std::string End(std::size_t zero_blocks = 2) const {
    return text_ + std::string(zero_blocks * kTarBlockBytes, '\0');
  }

 private:
  std::string text_;
};

class ArchiveTest : public ::testing::Test {
 protected:
  // The code of a refused archive, "accepted" otherwise. Checks that nothing stays behind.
  std::string Unpack(std::string_view archive, std::optional<std::string> hash = std::nullopt) {
    scratch_.File("in.tar.gz", archive);
    const std::string out = scratch_.Path("out");
    fs::remove_all(out);
    const auto report = UnpackArchive(scratch_.Path("in.tar.gz"), out, hash);
    if (report) {
      report_ = *report;
      return "accepted";
    }
    error_ = FormatPlace(report.error().where);
    EXPECT_EQ(CountOf(scratch_.root()), 1) << "something was left behind";
    return std::string(report.error().code.text());
  }
  std::string UnpackTar(std::string_view tar) { return Unpack(Gzip(tar)); }
  static long CountOf(const std::string& directory) {
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
  }

  ScratchTree scratch_;
  UnpackReport report_;
  std::string error_;  // the place of the last error
};

std::string Generate(const Json& members) {
  TarText tar;
  for (const Json& member : members.as_array()) {
    const Json* base64 = member.Find("base64");
    const std::string content =
        base64 != nullptr ? DecodeBase64(base64->as_string())
                          : std::string(static_cast<std::size_t>(member.Find("size")->as_int64()),
                                        static_cast<char>(member.Find("fill")->as_int64()));
    tar.File(member.Find("path")->as_string(), content);
  }
  std::string text = tar.End();
  text.append((10'240 - text.size() % 10'240) % 10'240, '\0');
  return text;
}

Json FilesBelow(const std::string& root) {
  Json::Array paths;
  const auto files = KeptFiles(root);
  for (const TreeEntry& file : *files) paths.emplace_back(file.path);
  std::ranges::sort(paths, {}, [](const Json& path) { return path.as_string(); });
  return Json(std::move(paths));
}

TEST_F(ArchiveTest, AgreesWithTheGoldenVectors) {
  const Json vectors = BundleVectors("archive.json");
  for (const Json& row : vectors.Find("cases")->as_array()) {
    SCOPED_TRACE(row.Find("name")->as_string());
    std::string archive;
    if (const Json* base64 = row.Find("archive_base64")) {
      archive = DecodeBase64(base64->as_string());
    } else {
      const std::string tar = Generate(*row.Find("generate")->Find("members"));
      EXPECT_EQ(Sha256Hex(tar), row.Find("tar_sha256")->as_string());
      archive = Gzip(tar);
    }
    const std::string outcome = Unpack(archive, row.Find("expected_content_hash")->as_string());
    if (row.Find("expect")->as_string() == "reject") {
      EXPECT_EQ(outcome, row.Find("code")->as_string());
      continue;
    }
    ASSERT_EQ(outcome, "accepted");
    EXPECT_EQ(FilesBelow(scratch_.Path("out")), *row.Find("tree"));
  }
}

TEST_F(ArchiveTest, ChecksTheFormOfTheExpectedHash) {
  EXPECT_EQ(Unpack("", "ABC"), "archive.expected_hash_format");
}

TEST_F(ArchiveTest, RefusesWhatIsNotGzip) {
  EXPECT_EQ(Unpack(""), "archive.not_gzip");
  EXPECT_EQ(Unpack("\x1f"), "archive.not_gzip");
  EXPECT_EQ(Unpack(TarText().File("k.py", "x").End()), "archive.not_gzip");
  EXPECT_EQ(error_, scratch_.Path("in.tar.gz"));
}

TEST_F(ArchiveTest, ChecksTheCompressedStream) {
  const std::string good = Gzip(TarText().File("k.py", "x").End());
  EXPECT_EQ(Unpack(good), "accepted");
  std::string bad_crc = good;
  bad_crc[bad_crc.size() - 8] ^= 1;
  EXPECT_EQ(Unpack(bad_crc), "archive.corrupt");
  EXPECT_EQ(error_, scratch_.Path("in.tar.gz"));
  for (const std::size_t size : {2U, 9U, 30U}) {
    EXPECT_EQ(Unpack(good.substr(0, size)), "archive.corrupt") << size;
  }
  EXPECT_EQ(Unpack(good.substr(0, good.size() - 1)), "archive.corrupt");
  EXPECT_EQ(Unpack(good + std::string(100, '\0')), "accepted");
  EXPECT_EQ(Unpack(good + "x"), "archive.corrupt");
}

TEST_F(ArchiveTest, ReadsSeveralGzipMembersAsOneStream) {
  const std::string tar = TarText().File("k.py", "x").End();
  const std::string parts = Gzip(tar.substr(0, 700)) + std::string(3, '\0') + Gzip(tar.substr(700));
  EXPECT_EQ(Unpack(parts), "accepted");
  EXPECT_EQ(Unpack(Gzip(tar) + Gzip(std::string(1024, '\0'))), "accepted");
}

TEST_F(ArchiveTest, BoundsTheCompressedBytes) {
  EXPECT_EQ(Unpack(Gzip(TarText().File("k.py", "x").End()) + std::string(kMaxArchiveBytes, '\0')),
            "archive.compressed_size");
  EXPECT_EQ(error_, scratch_.Path("in.tar.gz"));
}

TEST_F(ArchiveTest, NeedsTheWholeTar) {
  const TarText tar = TarText().File("k.py", "x");
  EXPECT_EQ(UnpackTar(tar.End(0)), "archive.end_markers_missing");
  EXPECT_EQ(UnpackTar(tar.End(1)), "archive.end_markers_missing");
  EXPECT_EQ(UnpackTar(tar.End().substr(0, 700)), "archive.corrupt");
  EXPECT_EQ(UnpackTar(tar.End(1) + TarText().File("l.py", "x").End()), "archive.data_after_end");
  EXPECT_EQ(UnpackTar(tar.End() + "x"), "archive.data_after_end");
  EXPECT_EQ(UnpackTar(tar.End(100)), "accepted");
  std::string damaged = tar.End();
  damaged[0] = 'l';
  EXPECT_EQ(UnpackTar(damaged), "archive.corrupt");
}

TEST_F(ArchiveTest, BoundsHeadersAndExtensions) {
  TarText many;
  for (std::uint64_t i = 0; i <= kMaxTarHeaders; ++i) many.Member("g", 'g');
  EXPECT_EQ(UnpackTar(many.File("k.py", "x").End()), "archive.too_many_headers");
  const std::string comment = "70000 comment=" + std::string(69'985, 'c') + "\n";
  EXPECT_EQ(UnpackTar(TarText().Member("x", 'x', comment).File("k.py", "x").End()),
            "archive.extension_header");
  TarText total;
  for (int i = 0; i < 20; ++i) total.Member("L", 'L', std::string(60'000, 'n'));
  EXPECT_EQ(UnpackTar(total.File("k.py", "x").End()), "archive.extension_total");
}

TEST_F(ArchiveTest, RefusesExtensionsThatMakeNoSense) {
  const auto with = [&](char type, std::string_view payload) {
    return UnpackTar(TarText().Member("x", type, payload).File("k.py", "x").End());
  };
  EXPECT_EQ(with('x', "9 comment"), "archive.corrupt");
  EXPECT_EQ(with('x', "12 path=a.p\n"), "accepted");
  EXPECT_EQ(with('g', "12 path=a.p\n"), "archive.corrupt");
  EXPECT_EQ(with('x', "10 size=x\n"), "archive.corrupt");
  EXPECT_EQ(with('x', "22 GNU.sparse.major=1\n"), "archive.member_type");
  EXPECT_EQ(UnpackTar(TarText().Member("x", 'x', "12 path=a.p\n").End()), "archive.corrupt");
  EXPECT_EQ(with('L', std::string_view("long/name.py\0", 13)), "accepted");
  EXPECT_TRUE(fs::exists(scratch_.Path("out/name.py")));
}

TEST_F(ArchiveTest, ChecksNamesOfMembers) {
  const auto with = [&](std::string_view name) {
    return UnpackTar(TarText().File(name, "x").End());
  };
  for (const char* bad : {"/k.py", "a//k.py", "./k.py", "a/../k.py", "..", "a\\k.py", "a\nk.py",
                          "k\xff.py", "\x7fk", ""}) {
    EXPECT_EQ(with(bad), "archive.member_path") << bad;
  }
  EXPECT_EQ(error_, scratch_.Path("in.tar.gz"));
  EXPECT_EQ(with("../../evil"), "archive.member_path");
  EXPECT_EQ(error_, "../../evil");
  EXPECT_EQ(with("d/" + std::string(256, 'n')), "archive.member_path");
  for (const char* noise : {"__pycache__/k.py", "a/.git/k", "k.pyc", "._k", "d/k.pyo"}) {
    EXPECT_EQ(with(noise), "archive.member_excluded") << noise;
    EXPECT_EQ(error_, noise);
  }
  EXPECT_EQ(UnpackTar(TarText().Member("x.pyc/", '5').File("x.pyc/k.py", "").End()),
            "archive.member_excluded");
}

TEST_F(ArchiveTest, ChecksDirectoriesOfTheTreeAgain) {
  EXPECT_EQ(UnpackTar(TarText().File("w/x.pyc/k.py", "x").End()), "archive.member_excluded");
  EXPECT_EQ(error_, "x.pyc");
  EXPECT_EQ(UnpackTar(TarText().File("w/a/._d/k.py", "x").End()), "archive.member_excluded");
  EXPECT_EQ(UnpackTar(TarText().File("._w/k.py", "x").End()), "accepted");
}

TEST_F(ArchiveTest, RefusesOtherTypes) {
  for (const char type : {'1', '2', '3', '4', '6', 'S', 'D', 'V', 'A'}) {
    EXPECT_EQ(UnpackTar(TarText().File("k.py", "x").Member("l", type).End()), "archive.member_type")
        << type;
    EXPECT_EQ(error_, "l");
  }
  EXPECT_EQ(UnpackTar(TarText().Member("k.py", '7', "x").Member("l", '\0', "x").End()), "accepted");
  EXPECT_EQ(UnpackTar(TarText().Member("d/", '5', "x").File("d/k", "").End()), "archive.corrupt");
}

TEST_F(ArchiveTest, RefusesPathsThatConflict) {
  EXPECT_EQ(UnpackTar(TarText().File("k", "x").File("k", "x").End()), "archive.duplicate_member");
  EXPECT_EQ(error_, "k");
  EXPECT_EQ(UnpackTar(TarText().Member("d/", '5').Member("d", '5').File("d/k", "").End()),
            "archive.duplicate_member");
  EXPECT_EQ(UnpackTar(TarText().File("k", "x").File("k/l", "x").End()), "archive.path_conflict");
  EXPECT_EQ(error_, "k/l");
  EXPECT_EQ(UnpackTar(TarText().File("k/l", "x").File("k", "x").End()), "archive.path_conflict");
  EXPECT_EQ(error_, "k");
  EXPECT_EQ(UnpackTar(TarText().Member("k/l", '5').File("k", "x").End()), "archive.path_conflict");
  EXPECT_EQ(UnpackTar(TarText().File("d/k", "x").Member("d/", '5').End()), "accepted");
  EXPECT_EQ(UnpackTar(TarText().File("k", "x").File("K", "x").End()), "accepted");
}

TEST_F(ArchiveTest, NeedsFilesAndNoEmptyDirectories) {
  EXPECT_EQ(UnpackTar(TarText().Member("d/", '5').End()), "archive.no_files");
  EXPECT_EQ(UnpackTar(std::string(1024, '\0')), "archive.no_files");
  EXPECT_EQ(error_, scratch_.Path("in.tar.gz"));
  EXPECT_EQ(UnpackTar(TarText().File("k", "x").Member("d/", '5').End()), "archive.empty_directory");
  EXPECT_EQ(error_, "d");
}

TEST_F(ArchiveTest, BoundsSizesBeforeItWrites) {
  // A header that promises a size whose bytes never come: the promise alone is refused, unless the
  // stream itself is broken, which is said first.
  const std::string large(kMaxFileBytes + 1, 'x');
  EXPECT_EQ(UnpackTar(TarText().File("large.dat", large).End()), "archive.file_too_large");
  EXPECT_EQ(error_, "large.dat");
  EXPECT_EQ(UnpackTar(TarText().File("k.dat", large).End().substr(0, 512 * 100)),
            "archive.corrupt");
  SizeBudget sizes;
  EXPECT_EQ(sizes.Add("k.py", kMaxInspectableFileBytes + 1).error().code,
            Code("archive.inspectable_file_too_large"));
  SizeBudget inspectable;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(inspectable.Add("k.cu", kMaxInspectableFileBytes));
  EXPECT_EQ(inspectable.Add("m.toml", 1).error().code, Code("archive.inspectable_total"));
  EXPECT_EQ(inspectable.Add("m.toml", 1).error().where.file, "m.toml");
  SizeBudget total;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(total.Add("d.dat", kMaxFileBytes));
  EXPECT_EQ(total.Add("e.dat", 1).error().code, Code("archive.total_size"));
}

TEST_F(ArchiveTest, BoundsTheInflatedStream) {
  // A few kilobytes of gzip that inflate beyond every limit.
  std::string bomb = Gzip(TarText().File("k", "x").End());
  const std::string zeros = Gzip(std::string(1U << 20U, '\0'));
  for (std::uint64_t i = 0; i <= kMaxTarStreamBytes >> 20U; ++i) bomb += zeros;
  EXPECT_EQ(Unpack(bomb), "archive.stream_budget");
  EXPECT_EQ(error_, scratch_.Path("in.tar.gz"));
}

TEST_F(ArchiveTest, ComparesTheHashAndLeavesTheDestinationAlone) {
  const std::string archive = Gzip(TarText().File("w/k.py", "x").End());
  EXPECT_EQ(Unpack(archive, std::string(64, '0')), "archive.hash_mismatch");
  EXPECT_EQ(Unpack(archive), "accepted");
  const std::string hash = report_.content_hash;
  EXPECT_EQ(Unpack(archive, hash), "accepted");
  const std::string path = scratch_.Path("in.tar.gz");
  const auto again = UnpackArchive(path, scratch_.Path("out"), hash);
  EXPECT_EQ(again.error().code, Code("archive.destination"));
  EXPECT_EQ(again.error().where.file, scratch_.Path("out"));
  EXPECT_EQ(*ReadFile(scratch_.Path("out/k.py"), 10), "x");
}

TEST_F(ArchiveTest, ChecksAnExtractedTreeAgain) {
  ASSERT_EQ(UnpackTar(TarText().File("w/d/k.py", "x").End()), "accepted");
  const std::string root = scratch_.Path("out");
  const auto check = [&] {
    const Status status = CheckExtractedTree(root, report_.content_hash);
    return status ? "holds"
                  : status.error().where.file + ' ' + std::string(status.error().code.text());
  };
  EXPECT_EQ(check(), "holds");
  ASSERT_EQ(chmod((root + "/d").c_str(), 0755), 0);
  EXPECT_EQ(check(), "d archive.cache_unsafe");
  ASSERT_EQ(chmod((root + "/d").c_str(), 0700), 0);
  ASSERT_EQ(link((root + "/d/k.py").c_str(), scratch_.Path("other").c_str()), 0);
  EXPECT_EQ(check(), "d/k.py archive.cache_unsafe");
  fs::remove(scratch_.Path("other"));
  std::ofstream(root + "/d/k.py") << "y";
  EXPECT_EQ(check(), root + " archive.cache_mismatch");
}

// --- Packing

std::vector<std::string> CodesAndFiles(const std::vector<Error>& errors) {
  std::vector<std::string> found;
  for (const Error& error : errors) {
    found.push_back(std::string(error.code.text()) + ' ' + error.where.file);
  }
  return found;
}

TEST_F(ArchiveTest, PacksTheSameBytesEveryTime) {
  const ScratchTree bundle;
  bundle.File("w/k.py", "x");
  bundle.File("w/" + std::string(90, 'p') + "/" + std::string(99, 'n'), "split");
  bundle.File("w/" + std::string(120, 'l'), "long");
  bundle.File("w/caf\u00e9.py", "unicode");
  bundle.File("w/__pycache__/k.pyc", "noise");
  const auto first = PackBundle(bundle.Path("w"), bundle.Path("1.tar.gz"));
  ASSERT_TRUE(first);
  ASSERT_EQ(chmod(bundle.Path("w/k.py").c_str(), 0777), 0);
  const auto second = PackBundle(bundle.Path("w/."), bundle.Path("2.tar.gz"));
  ASSERT_TRUE(second);
  const std::string bytes = *ReadFile(bundle.Path("1.tar.gz"), SIZE_MAX);
  EXPECT_EQ(bytes, *ReadFile(bundle.Path("2.tar.gz"), SIZE_MAX));
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
  EXPECT_EQ(first->content_hash, HashTree(bundle.Path("w"))->hash);
  EXPECT_EQ(first->archive_bytes, bytes.size());
  EXPECT_EQ(first->file_count, 4U);
  EXPECT_EQ(Unpack(bytes, first->content_hash), "accepted");
}

// The system's archive library is the second reader.
std::vector<std::string> ListWithLibArchive(const std::string& path) {
  std::setlocale(LC_CTYPE, "C.UTF-8");  // it has no other way to give a name that is not ASCII
  const std::unique_ptr<struct archive, int (*)(struct archive*)> reader(archive_read_new(),
                                                                         &archive_read_free);
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  EXPECT_EQ(archive_read_open_filename(reader.get(), path.c_str(), 10240), ARCHIVE_OK);
  std::vector<std::string> found;
  archive_entry* entry = nullptr;
  for (;;) {
    if (archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) return found;
    std::string content(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    archive_read_data(reader.get(), content.data(), content.size());
    found.push_back(std::string(archive_entry_pathname_utf8(entry)) + "=" + content + " " +
                    std::to_string(archive_entry_perm(entry)) + " " +
                    std::to_string(archive_entry_mtime(entry)));
  }
}

TEST_F(ArchiveTest, PacksWhatOtherReadersRead) {
  const ScratchTree bundle;
  const std::string split = std::string(90, 'p') + "/" + std::string(99, 'n');
  bundle.File("w/k.py", "x");
  bundle.File("w/" + split, "split");
  bundle.File("w/" + std::string(260, 'l').replace(130, 1, "/"), "long");
  bundle.File("w/caf\u00e9.py", "unicode");
  ASSERT_TRUE(PackBundle(bundle.Path("w"), bundle.Path("1.tar.gz")));
  EXPECT_THAT(ListWithLibArchive(bundle.Path("1.tar.gz")),
              ElementsAre("w/caf\u00e9.py=unicode 420 0", "w/k.py=x 420 0",
                          "w/" + std::string(260, 'l').replace(130, 1, "/") + "=long 420 0",
                          "w/" + split + "=split 420 0"));
}

TEST_F(ArchiveTest, SaysBeforePackingWhatWouldBeRefusedLater) {
  const ScratchTree bundle;
  bundle.File("w/.gitignore", "");
  bundle.File("w/a\\b", "");
  bundle.File("w/a b", "");
  bundle.File("w/a/x", "");
  ASSERT_EQ(truncate(bundle.Path("w/a b").c_str(), kMaxFileBytes + 1), 0);
  EXPECT_THAT(CodesAndFiles(CheckPackable(bundle.Path("w"), Mode::kStrict).errors),
              ElementsAre("tree.path_not_canonical a\\b"));
  fs::remove(bundle.Path("w/a\\b"));
  const PackChecks strict = CheckPackable(bundle.Path("w"), Mode::kStrict);
  EXPECT_THAT(CodesAndFiles(strict.errors),
              ElementsAre("publish.path .gitignore", "archive.file_too_large a b"));
  EXPECT_THAT(CodesAndFiles(strict.warnings), ElementsAre("publish.order "));
  const PackChecks compat = CheckPackable(bundle.Path("w"), Mode::kCompat);
  EXPECT_THAT(CodesAndFiles(compat.errors), ElementsAre("archive.file_too_large a b"));
  EXPECT_THAT(compat.warnings, IsEmpty());
}

TEST_F(ArchiveTest, CountsFilesBeforePacking) {
  const ScratchTree bundle;
  bundle.Directory("w");
  for (std::uint64_t i = 0; i <= kMaxMembers; ++i) {
    std::ofstream(bundle.Path("w/f" + std::to_string(i)));
  }
  EXPECT_THAT(CodesAndFiles(CheckPackable(bundle.Path("w"), Mode::kStrict).errors),
              ElementsAre("archive.too_many_members "));
}

TEST_F(ArchiveTest, WritesNoArchiveThatIsTooLarge) {
  const std::string path = scratch_.Path("gz");
  const UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT, 0600));
  GzipWriter writer(fd.get(), 20);
  EXPECT_TRUE(writer.Write("abc"));
  EXPECT_EQ(writer.Finish().error().code, Code("archive.compressed_size"));
}

TEST_F(ArchiveTest, LeavesNoArchiveBehindWhenPackingFails) {
  const ScratchTree bundle;
  bundle.Directory("w");
  EXPECT_EQ(PackBundle(bundle.Path("w"), bundle.Path("1.tar.gz")).error().code,
            Code("bundle.empty"));
  bundle.File("w/k.py", "x");
  const auto no_folder = PackBundle(bundle.Path("w"), bundle.Path("none/1.tar.gz"));
  EXPECT_EQ(no_folder.error().code, Code("io.write"));
  EXPECT_EQ(no_folder.error().where.file, bundle.Path("none/1.tar.gz"));
  EXPECT_EQ(CountOf(bundle.root()), 1);
  EXPECT_EQ(*DefaultArchiveName(bundle.Path("w/")), "w.tar.gz");
}

}  // namespace
}  // namespace cacheon::bundle
