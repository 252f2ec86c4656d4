// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eligibility: the calls that one op row offers to serve, read from its metadata document and the
// lists of its manifest row. Reading refuses what is malformed; domain.h reasons about the result.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/policy/field.h"

namespace cacheon::policy {

// One condition on one field: a set of values, or an inclusive range of integers.
struct Predicate {
  std::string field;                     // canonical name
  std::vector<Scalar> allowed = {};      // sorted, unique; empty means that it is a range
  std::optional<std::int64_t> min = {};  // of a range; open when unset
  std::optional<std::int64_t> max = {};

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

// What a row declares. Lists are canonical, sorted and unique; an empty list is no condition,
// except that an empty `quant` means dense calls only. Bounds are inclusive. The conditions are a
// conjunction; a condition in a list and in `capabilities` counts twice, not instead.
struct Eligibility {
  std::vector<std::string> dtypes = {};
  std::vector<std::string> architectures = {};
  std::vector<std::string> quant = {};
  bool graph_safe = false;  // may be called while a CUDA graph is captured or replayed
  std::optional<std::int64_t> max_last_dim = {};
  std::optional<std::int64_t> min_num_tokens = {};
  std::optional<std::int64_t> max_num_tokens = {};
  std::vector<Predicate> capabilities = {};  // sorted by field, one per field

  friend bool operator==(const Eligibility&, const Eligibility&) = default;
};

inline constexpr std::size_t kMaxMetadataBytes = 8U << 20U;

// A metadata document as it was read, and what is weak about its text (strict mode warns).
struct Metadata {
  Json value;
  std::vector<Error> warnings;  // elig.duplicate_key, elig.non_finite, elig.unknown_key
};

// Reads the text of a metadata file as the published implementation does: of a key that appears
// twice the last one counts, and NaN and Infinity are numbers. Code elig.metadata_json.
Result<Metadata> ReadMetadata(std::string_view text);

// The eligibility of a row. `metadata` is null when the row names no file. A list that the manifest
// row and the metadata both give is intersected. Error key paths are those of the metadata
// ("capabilities.num_tokens.min"). Codes elig.metadata_object, elig.list_type, elig.list_item,
// elig.graph_safe_type, elig.bound, elig.bounds_inverted, elig.disjoint and cap.*.
Result<Eligibility> ParseEligibility(const Json& metadata,
                                     std::span<const std::string> manifest_dtypes = {},
                                     std::span<const std::string> manifest_architectures = {});

// The predicates of a `capabilities` value, sorted by field; null means none.
Result<std::vector<Predicate>> ParseCapabilities(const Json& capabilities);

// The canonical projection of a metadata document, which is part of the row's identity. Give the
// eligibility of the document alone, without the lists of the manifest.
Json ProjectMetadata(const Eligibility& metadata_alone);
// The file that carries a projection at run time: indented JSON and one line feed.
std::string EmitMetadata(const Json& projection);

}  // namespace cacheon::policy
