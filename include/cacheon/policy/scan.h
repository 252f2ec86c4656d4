// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The static scan: what can be said about a bundle's sources without running a line of them. It
// refuses lazy attacks and answers authors in milliseconds. It is a filter and no boundary:
// whatever it misses meets the sandbox, and nothing downstream may rely on a clean scan.
//
// The caller reads each file once and hands the same bytes to the hash and to the scan.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/bundle/patch.h"
#include "cacheon/bundle/tree.h"
#include "cacheon/core/error.h"
#include "cacheon/core/result.h"

namespace cacheon::policy {

// One directory entry of a bundle, as found without following links.
struct ScanEntry {
  std::string path;  // relative to the bundle, parts separated by '/'
  bundle::EntryKind kind = bundle::EntryKind::kFile;
  std::uint64_t link_count = 1;   // of files
  std::string_view content = {};  // of files; owned by the caller during the scan
};

// `source` and `entry` of a manifest's op row.
struct ScanEntryPoint {
  std::string source;
  std::string function;
};

// One `[[dep_patches]]` table.
struct ScanPatch {
  std::string target;
  std::string path;
};

// What the scan needs to know of a bundle. Paths are relative to the bundle and already checked.
struct ScanBundle {
  std::vector<ScanEntry> entries;
  bool has_manifest = true;  // false: a loose folder, where no file is undeclared
  std::vector<std::string> cuda_sources = {};
  std::vector<ScanPatch> dep_patches = {};
  std::vector<ScanEntryPoint> entry_points = {};
  bool graph_safe = true;  // some row must run under graph capture: stricter CUDA calls
};

// What was seen in one source file; for reports and for later checks of the manifest.
struct ScanFileFacts {
  std::string path;
  std::string language;                     // "python" or "cuda"
  std::vector<std::string> imports = {};    // dotted modules, or include targets
  std::vector<std::string> functions = {};  // Python: functions at the top level
  std::vector<std::string> kernels = {};    // jit-decorated or __global__ functions
};

// `findings` are sorted by file, line, column and code. The bundle is refused when one has severity
// kError.
struct ScanReport {
  std::vector<Error> findings;
  std::vector<ScanFileFacts> files;  // sorted by path

  bool refused() const;
};

struct ScanOptions {
  bundle::Mode mode = bundle::Mode::kStrict;
  std::string interpreter = "/usr/bin/python3";  // whose parser judges; must be the runtime's own
  int threads = 0;                               // 0: the cores this process may use
  // The pinned dependency, by path; patches are dry-applied to it and the results scanned. Empty:
  // this machine has no copy, and patches are only parsed. Called from several threads.
  bundle::DependencyReader dependency = {};
};

// Scans bundles, and keeps its parser processes between calls. Calls must not overlap.
class Scanner {
 public:
  explicit Scanner(ScanOptions options);
  ~Scanner();
  Scanner(Scanner&&) noexcept;
  Scanner& operator=(Scanner&&) noexcept;

  // One report per bundle, in order. Fails only when this machine cannot scan:
  // scan.parser_unavailable, scan.parser_failed. What a hostile file does to the parser is a
  // finding about that file.
  Result<std::vector<ScanReport>> Scan(std::span<const ScanBundle> bundles);
  Result<ScanReport> Scan(const ScanBundle& bundle);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// SHA-256 over every name list and the parser program: equal digests mean equal rules over equal
// facts. Part of each verdict.
std::string ScanPolicyDigest();

}  // namespace cacheon::policy
