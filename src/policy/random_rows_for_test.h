// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random rows and calls over few values, so that they meet often.

#include <random>
#include <string>

#include "cacheon/policy/descriptor.h"
#include "cacheon/policy/eligibility.h"

namespace cacheon::policy {

class RandomRows {
 public:
  explicit RandomRows(std::uint32_t seed) : engine_(seed) {}

  Json Metadata() {
    Json::Object row;
    if (OneIn(3)) row["dtypes"] = Json::Array{Dtype(), Dtype()};
    if (OneIn(4)) row["quant"] = Json::Array{Quant()};
    if (OneIn(2)) row["graph_safe"] = OneIn(2);
    if (OneIn(3)) row["max_num_tokens"] = Small();
    if (OneIn(4)) row["max_last_dim"] = Small();
    Json::Object capabilities;
    if (OneIn(2)) capabilities["num_tokens"] = Range();
    if (OneIn(3)) capabilities["head_dim"] = Json::Array{Small(), Small(), Small()};
    if (OneIn(4)) capabilities["quant"] = Quant();
    if (OneIn(4)) capabilities["graph_mode"] = GraphMode();
    if (OneIn(4)) capabilities["dtype"] = Json::Array{Dtype(), Dtype()};
    row["capabilities"] = capabilities;
    return row;
  }
  Eligibility Row() { return ParseEligibility(Metadata()).value(); }

  CallDescriptor Call() {
    CallDescriptor call;
    if (!OneIn(6)) call.Set(Field::kDtype, Dtype());
    if (!OneIn(6)) call.Set(Field::kNumTokens, Small());
    if (!OneIn(6)) call.Set(Field::kHeadDim, Small());
    if (!OneIn(6)) call.Set(Field::kLastDim, Small());
    if (!OneIn(3)) call.Set(Field::kQuant, Quant());
    if (!OneIn(3)) call.Set(Field::kGraphMode, GraphMode());
    return call;
  }

 private:
  bool OneIn(int n) { return Below(n) == 0; }
  std::int64_t Below(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(engine_);
  }
  std::int64_t Small() { return Below(6); }
  std::string Dtype() { return OneIn(2) ? "bf16" : "fp16"; }
  std::string Quant() { return OneIn(2) ? "dense" : "nvfp4"; }
  std::string GraphMode() { return OneIn(2) ? "eager" : "cuda_graph"; }
  Json Range() {
    const std::int64_t min = Small();
    return Json::Object{{"min", min}, {"max", min + Below(3)}};
  }

  std::mt19937 engine_;
};

}  // namespace cacheon::policy
