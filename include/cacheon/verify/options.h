// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the operator of a verification chooses. A bundle chooses none of it.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/bundle/mode.h"
#include "cacheon/tensor/dtype.h"

namespace cacheon::verify {

enum class CaseList : std::uint8_t {
  kPublished,  // the published default list, each case called once per check that it needs
  kAll,        // and ours
};

// The dtypes that a row can be run in.
inline constexpr std::array kVerifiedDTypes = {tensor::DType::kBFloat16, tensor::DType::kFloat16,
                                               tensor::DType::kFloat32};

// A row by slot and, when given, variant.
struct RowFilter {
  std::string slot;
  std::string variant = {};
};

struct Options {
  std::string device = "cpu";
  std::vector<tensor::DType> dtypes = {};  // empty: those of kVerifiedDTypes that a row admits
  std::string model = {};                  // a model profile's key; empty: none
  std::uint64_t seed = 0;
  std::string python = {};  // empty: searched for
  std::chrono::milliseconds call_limit{20'000};
  std::chrono::milliseconds load_limit{120'000};  // import of torch and of the candidate
  bool require_full_isolation = false;
  std::vector<RowFilter> rows = {};  // empty: all
  bundle::Mode mode = bundle::Mode::kStrict;
  CaseList cases = CaseList::kAll;
  bool warnings_refuse = false;
  // Called as the work goes on, with one short line; may be empty.
  std::function<void(std::string_view)> progress = {};
};

}  // namespace cacheon::verify
