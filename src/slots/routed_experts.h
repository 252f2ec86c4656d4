// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sum over a token's experts, shared by the dense and the quantised slots.

#include <cstdint>
#include <span>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/tensor/view.h"
#include "src/slots/expert_weights.h"

namespace cacheon::slots {

// silu: silu(g) * u. swigluoai: g' * sigmoid(alpha g') * (u' + 1) with g' = min(g, limit) and u'
// clamped to [-limit, limit].
struct Activation {
  enum class Kind : std::uint8_t { kSilu, kSwigluOai };
  Kind kind = Kind::kSilu;
  double alpha = 0;
  double limit = 0;

  double Apply(double gate, double up) const;
};

// {"kind": "silu"} or {"kind": "swigluoai", "alpha", "limit"}. Code: slot.parameter.
Result<Activation> ReadActivation(const Json& json);

struct RoutedCall {
  tensor::ConstTensorView x;           // [M, H]
  tensor::ConstTensorView ids;         // [M, K] int32
  tensor::ConstTensorView weights;     // [M, K] float32
  const ExpertWeights* w13 = nullptr;  // [E, 2I, H], gate rows first
  const ExpertWeights* w2 = nullptr;   // [E, H, I]
  std::int64_t intermediate = 0;
  std::int64_t experts = 0;
  Activation activation;
};

// out[m, h] = sum over k of weights[m, k] * (w2[e] act(w13[e] x[m]))[h], e = ids[m, k]. Only
// experts that are routed to are read. The order of every sum is fixed.
void SumRoutedExperts(const RoutedCall& call, std::span<double> out);

}  // namespace cacheon::slots
