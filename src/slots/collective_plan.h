// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the slots that run on every rank of a group have in common.

#include <cstdint>
#include <span>

#include "cacheon/slots/slot.h"
#include "src/slots/parameters.h"

namespace cacheon::slots {

// Which rank of which group a call is planned for: parameters `rank` and `world_size`, by default
// the only rank of a group of one. Code: slot.parameter.
struct RankOf {
  std::int64_t rank = 0;
  std::int64_t world_size = 1;

  // Seeds of what differs between ranks and of what is the same on all.
  std::uint64_t own_seed(std::uint64_t seed) const {
    constexpr std::uint64_t kRankStep = 1000003;
    return seed + kRankStep * static_cast<std::uint64_t>(rank);
  }
};
Result<RankOf> ReadRank(ParameterReader& parameters);

Argument GroupArgument();

// The fields of the descriptor that collectives have beside dtype, architecture and graph_mode.
void DescribeCollective(const RankOf& rank, CallPlan& plan);

// Structured acceptance of a sum over ranks.
AcceptanceRule SumAcceptance();

// Slot::Reference of a collective: a group of one.
void ReferenceOfOne(const Collective& collective, const CallPlan& plan,
                    std::span<const tensor::ConstTensorView> inputs,
                    std::span<const tensor::TensorView> outputs);

// r = sum + residual, unrounded; outputs are [normalised r, r]. `inputs` are residual and weight.
void FinishResidualNorm(std::span<const double> sum, const tensor::ConstTensorView& residual,
                        const tensor::ConstTensorView& weight, double eps,
                        std::span<const tensor::TensorView> outputs);

}  // namespace cacheon::slots
