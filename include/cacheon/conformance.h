// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// conformance: runs golden vectors against the library. Each kind of vector file has a runner that
// reads the file's cases and says, case by case, whether the library agrees. Everything runs in
// compat mode; prose of the vectors is never compared.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::conformance {

enum class Agreement {
  kAgree,
  kDiffer,
  kUnsupported,  // this machine cannot run the case (a file name that its file system refuses)
};

struct CaseResult {
  std::string name;
  Agreement agreement = Agreement::kAgree;
  std::string expected = {};  // of what differs: short texts for people
  std::string got = {};
  // On a reject: the recorded code and ours. Compared after aliasing, as a second figure.
  std::string expected_code = {};
  std::string got_code = {};
};

// One kind of vector file.
struct FileKind {
  std::string_view path;     // "bundle/manifest.json", matched against the end of a file's path
  std::string_view summary;  // what is compared, one line
  // Fails only when the file has not the form of its kind.
  Result<std::vector<CaseResult>> (*run)(const Json& document);
};

// Every kind that the runner knows, sorted by path.
std::span<const FileKind> FileKinds();

// The kind of the file at `path`; nullptr when it is none.
const FileKind* FindFileKind(std::string_view path);

struct FileResult {
  std::string path;  // relative to the directory that was given
  std::vector<CaseResult> cases;
  std::string problem = {};  // why the file could not be run; its cases are then unsupported
};

// Runs every .json file below `directory`, in path order. Code: io.open when it is no directory.
Result<std::vector<FileResult>> RunDirectory(const std::string& directory);

// True when a recorded code means the same rule as ours: the same code, an alias of it, or the
// coarser code that ours maps to.
bool CodesAgree(std::string_view expected, std::string_view got);

// ------------------------------------------------------------------ for the runners of file kinds

// Agrees when `got` equals `expected` as JSON; otherwise both are shown, cut to a readable length.
CaseResult CompareJson(std::string name, const Json& expected, const Json& got);
CaseResult Agrees(std::string name);
CaseResult Differs(std::string name, std::string expected, std::string got);
CaseResult Unsupported(std::string name, std::string why);
// For a case that must be refused: agrees when `error` is set; codes are the second figure.
CaseResult CompareReject(std::string name, std::string_view expected_code, const Error* error);

// A scratch folder that is removed with everything in it; for cases that give a tree on disk.
class ScratchTree {
 public:
  static Result<ScratchTree> Create();
  ScratchTree(ScratchTree&& other) noexcept : root_(std::exchange(other.root_, {})) {}
  ScratchTree& operator=(ScratchTree&& other) noexcept;
  ~ScratchTree();

  const std::string& root() const { return root_; }

  // Writes `files` (path: text), `files_base64` (path: bytes), `symlinks` (path: target) and
  // `manifest` or `manifest_base64` of a case. A name that the file system refuses is io.write.
  Status Populate(const Json& the_case) const;
  Status WriteFile(std::string_view path, std::string_view content) const;
  Status WriteSymlink(std::string_view path, std::string_view target) const;
  Status MakeDirectory(std::string_view path) const;

 private:
  explicit ScratchTree(std::string root) : root_(std::move(root)) {}
  std::string root_;
};

// RFC 4648 with padding; vectors are ours, so anything else is a fault of the file:
// conformance.form.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace cacheon::conformance
