// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// check_scan CORPUS EXPECTED: scans every bundle of a corpus without running any. The scan must
// refuse those that EXPECTED says it refuses, with that code, and let all others pass: a bundle
// that is meant for a later check is of no use when the scan stops it.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/artifact/row_checker.h"
#include "cacheon/bundle/manifest.h"
#include "cacheon/bundle/tree.h"
#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/policy/scan.h"
#include "tests/bundles/expectation.h"

namespace cacheon::corpus {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20U;

// A bundle as the scan takes it; `contents` are the bytes that its entries refer to.
struct Sources {
  policy::ScanBundle scan;
  std::vector<std::string> contents;
};

Result<Sources> ReadSources(const std::string& root, const bundle::Manifest& manifest) {
  ASSIGN_OR_RETURN(const std::vector<bundle::TreeEntry> tree,
                   bundle::ListTree(root, bundle::Descend::kAll));
  Sources sources;
  sources.contents.reserve(tree.size());  // entries refer to the strings
  for (const bundle::TreeEntry& entry : tree) {
    policy::ScanEntry one{.path = entry.path, .kind = entry.kind, .link_count = entry.link_count};
    if (entry.kind == bundle::EntryKind::kFile) {
      ASSIGN_OR_RETURN(std::string content, ReadFile(root + "/" + entry.path, kMaxFileBytes));
      one.content = sources.contents.emplace_back(std::move(content));
    }
    sources.scan.entries.push_back(std::move(one));
  }
  for (const bundle::OpRow& row : manifest.ops) {
    sources.scan.entry_points.push_back({.source = row.source.resolved, .function = row.entry});
    for (const bundle::DeclaredPath& path : row.cuda_sources) {
      sources.scan.cuda_sources.push_back(path.resolved);
    }
  }
  for (const bundle::DependencyPatch& patch : manifest.dep_patches) {
    sources.scan.dep_patches.push_back({.target = patch.target, .path = patch.path.resolved});
  }
  return sources;
}

// The code that a scan refuses the bundle with, or `-`.
Result<std::string> ScanCode(const std::string& root, const Expectation& expected) {
  const bool compat =
      std::ranges::find(expected.arguments, "--mode=compat") != expected.arguments.end();
  const bundle::Mode mode = compat ? bundle::Mode::kCompat : bundle::Mode::kStrict;
  const artifact::RowChecker artifact_rows;
  bundle::ManifestReading reading =
      bundle::ReadManifest(root, {.mode = mode, .artifact_rows = &artifact_rows});
  if (!reading.manifest) return std::string(kNoCheck);  // verify does not come to the scan
  ASSIGN_OR_RETURN(const Sources sources, ReadSources(root, *reading.manifest));
  policy::Scanner scanner({.mode = mode, .threads = 1});
  ASSIGN_OR_RETURN(const policy::ScanReport report, scanner.Scan(sources.scan));
  for (const Error& finding : report.findings) {
    if (finding.severity == Severity::kError) return std::string(finding.code.text());
  }
  return std::string(kNoCheck);
}

bool Check(const std::string& corpus, const Expectation& expected) {
  const Result<std::string> code = ScanCode(corpus + "/" + expected.name, expected);
  if (!code) {
    fmt::print("{}: {}\n", expected.name, FormatError(code.error()));
    return false;
  }
  const std::string_view wanted = expected.check == kScanCheck ? expected.code : kNoCheck;
  if (Admits(wanted, *code)) return true;
  fmt::print("{}: the scan must give {}, gives {}\n", expected.name, wanted, *code);
  return false;
}

int Main(const std::string& corpus, const std::string& expected_path) {
  const Result<std::vector<Expectation>> expectations = ReadExpectations(expected_path);
  if (!expectations || expectations->empty()) {
    fmt::print("{}\n", expectations ? "nothing to scan" : FormatError(expectations.error()));
    return 1;
  }
  const auto wrong = std::ranges::count_if(
      *expectations, [&](const Expectation& expected) { return !Check(corpus, expected); });
  fmt::print("{} bundles scanned, {} wrong\n", expectations->size(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cacheon::corpus

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print("usage: check_scan CORPUS EXPECTED\n");
    return 2;
  }
  return cacheon::corpus::Main(argv[1], argv[2]);
}
