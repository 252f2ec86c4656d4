// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// bundle/archive.json: safe extraction. Archives come as bytes, or as members to be written as a
// ustar archive and compressed, which is done here independently of the packer under test.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cacheon/bundle.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

constexpr std::size_t kBlockBytes = 512;
constexpr std::size_t kRecordBytes = 10'240;
constexpr std::size_t kLongestName = 100;
constexpr std::int64_t kMostGeneratedBytes = std::int64_t{1} << 29;

// As the vectors' README fixes the fields.
std::string UstarHeader(const std::string& path, std::size_t size) {
  std::string header(kBlockBytes, '\0');
  const auto put = [&](std::size_t offset, std::string_view text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  put(0, path);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + '\0' + ' ');
  return header;
}

Result<std::string> ContentOf(const Json& member) {
  if (member.Find("base64") != nullptr) return DecodeBase64(TextOf(member, "base64"));
  const Json& size = FieldOf(member, "size");
  const Json& fill = FieldOf(member, "fill");
  if (!size.is_int64() || !fill.is_int64() || size.as_int64() < 0 ||
      size.as_int64() > kMostGeneratedBytes) {
    return Fail("conformance.form", "a member without size and fill");
  }
  return std::string(static_cast<std::size_t>(size.as_int64()), static_cast<char>(fill.as_int64()));
}

void PadTo(std::string& tar, std::size_t unit) {
  tar.append((unit - tar.size() % unit) % unit, '\0');
}

Result<std::string> GenerateTar(const Json& recipe) {
  std::string tar;
  for (const Json& member : ItemsOf(recipe, "members")) {
    const std::string& path = TextOf(member, "path");
    if (path.size() > kLongestName)
      return Fail("conformance.form", "a name that ustar cannot hold");
    ASSIGN_OR_RETURN(const std::string content, ContentOf(member));
    tar += UstarHeader(path, content.size()) + content;
    PadTo(tar, kBlockBytes);
  }
  tar.append(2 * kBlockBytes, '\0');
  PadTo(tar, kRecordBytes);
  return tar;
}

std::string Gzip(std::string& content) {
  constexpr int kGzipWindowBits = 15 + 16;
  constexpr int kMemoryLevel = 8;
  z_stream zlib{};
  CACHEON_CHECK(deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                             Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib has no memory or another version");
  std::string compressed(deflateBound(&zlib, content.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(content.data());
  zlib.avail_in = static_cast<uInt>(content.size());
  zlib.next_out = reinterpret_cast<Bytef*>(compressed.data());
  zlib.avail_out = static_cast<uInt>(compressed.size());
  CACHEON_CHECK(deflate(&zlib, Z_FINISH) == Z_STREAM_END, "deflateBound is too small");
  compressed.resize(zlib.total_out);
  deflateEnd(&zlib);
  return compressed;
}

Result<std::string> ArchiveOf(const Json& the_case) {
  if (the_case.Find("archive_base64") != nullptr) {
    return DecodeBase64(TextOf(the_case, "archive_base64"));
  }
  ASSIGN_OR_RETURN(std::string tar, GenerateTar(FieldOf(the_case, "generate")));
  const std::string& recorded = TextOf(the_case, "tar_sha256");
  if (!recorded.empty() && Sha256Hex(tar) != recorded) {
    return Fail("conformance.form", "the generated tar is not the recorded one");
  }
  return Gzip(tar);
}

Result<Json> TreeBelow(const std::string& root) {
  ASSIGN_OR_RETURN(const std::vector<bundle::TreeEntry> files, bundle::KeptFiles(root));
  std::vector<std::string> paths;
  for (const bundle::TreeEntry& file : files) paths.push_back(file.path);
  std::ranges::sort(paths);
  return Json(Json::Array(paths.begin(), paths.end()));
}

CaseResult RunArchiveCase(const Json& the_case, std::string name) {
  const auto scratch = ScratchTree::Create();
  if (!scratch) return Unsupported(std::move(name), FormatError(scratch.error()));
  const auto archive = ArchiveOf(the_case);
  if (!archive) return Unsupported(std::move(name), FormatError(archive.error()));
  const Status written = scratch->WriteFile("input", *archive);
  if (!written) return Unsupported(std::move(name), FormatError(written.error()));
  const std::string out = scratch->root() + "/out";
  const auto report = bundle::UnpackArchive(scratch->root() + "/input", out,
                                            TextOf(the_case, "expected_content_hash"));
  if (!report) {
    return CompareVerdict(the_case, std::move(name), Json(),
                          Result<Json>(std::unexpected(report.error())));
  }
  return CompareVerdict(the_case, std::move(name), FieldOf(the_case, "tree"), TreeBelow(out));
}

}  // namespace

Cases RunArchive(const Json& document) {
  if (!document.is_object()) return Fail("conformance.form", "the file is no object");
  std::vector<CaseResult> results;
  RunList(document, "cases", RunArchiveCase, results);
  return results;
}

}  // namespace cacheon::conformance
