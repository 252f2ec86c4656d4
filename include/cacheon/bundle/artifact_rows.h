// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The seam between the manifest reader and the module that knows direct artifacts. The reader calls
// the checker once per op row, at the place that bundle.md section 4.2 gives it (rules 15 and 16),
// and does the other rules of the row itself. Nothing here knows what a binding or a kernel is.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/core/error.h"
#include "cacheon/core/json.h"

namespace cacheon::bundle {

// Where the keys of a document stand. A key path is written as in errors, `ops[2].variant`; keys
// that are not bare TOML keys are quoted (bundle/key_path.h builds such paths). A path that the
// document does not have gives the place of its deepest ancestor that it has. The returned place
// always carries the file and the whole path that was asked for.
class Places {
 public:
  virtual ~Places() = default;
  virtual Place OfValue(std::string_view key_path) const = 0;
  virtual Place OfKey(std::string_view key_path) const = 0;
};

inline constexpr std::string_view kTomlDateKey = "$toml.date";

// What the checker gets of one op row. The Json values are the row's TOML as it was written:
// integers of any size, floats that overflowed as infinity. JSON has no dates: one stands as an
// object with the single member kTomlDateKey, so that it is never taken for a string.
struct ArtifactRowInput {
  std::string_view slot;            // trimmed, non-empty; not known to be registered
  std::string_view row_path;        // `ops[2]`
  const Json* resources = nullptr;  // `artifact_resources`; null when the row has no such key
  const Json* exports = nullptr;    // `aot_exports`; null when the row has no such key
  Mode mode = Mode::kStrict;
  const Places& places;
};

// A scalar that an export specialises; the row's metadata must pin it exactly (rule 18).
struct Specialization {
  std::string capability_field;
  Json value;            // bool, integer or float
  std::string key_path;  // `ops[0].aot_exports[1].specializes."input.eps"`
};

// The base of whatever the checker wants to keep of a row in its own types.
class ParsedArtifactRows {
 public:
  virtual ~ParsedArtifactRows() = default;
};

struct ArtifactRows {
  Json resources = Json::Array{};  // canonical rows, sorted by name
  Json exports = Json::Array{};    // canonical rows, sorted by provider, plan, step, name
  std::vector<Specialization> specializations;  // in the order in which they must be proven
  bool takes_cuda_sources = false;              // every provider of the row compiles `cuda_sources`
  // Shared because a Manifest is a value that is copied, and this never changes.
  std::shared_ptr<const ParsedArtifactRows> parsed = {};
};

// Implementations keep no state between rows and may be called from several threads.
class ArtifactRowChecker {
 public:
  virtual ~ArtifactRowChecker() = default;

  // Checks `artifact_resources` and then `aot_exports`, appends every error in evaluation order and
  // returns what stands; the result is used only when nothing was appended. An absent key is an
  // empty list. Covers `manifest.resources_no_call_abi`, `manifest.resources_type`,
  // `manifest.aot_*` of bundle.md section 4.5 with `manifest.aot_provider_unregistered`,
  // `artifact.*` and `device.*`; not rules 17, 18, 19 and 21.
  virtual ArtifactRows Check(const ArtifactRowInput& row, std::vector<Error>& errors) const = 0;
};

}  // namespace cacheon::bundle
