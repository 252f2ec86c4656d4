// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/collective_plan.h"

#include <algorithm>
#include <vector>

#include "cacheon/core/parallel.h"
#include "src/slots/normalise_row.h"
#include "src/slots/row_reader.h"

namespace cacheon::slots {

Result<RankOf> ReadRank(ParameterReader& parameters) {
  RankOf rank;
  ASSIGN_OR_RETURN(rank.world_size, parameters.Int("world_size", 1, 1));
  ASSIGN_OR_RETURN(rank.rank, parameters.Int("rank", 0, 0));
  if (rank.rank >= rank.world_size) return FailParameter("rank", "the group has no such rank");
  return rank;
}

Argument GroupArgument() {
  return {.name = "group", .role = Role::kGroup, .meaning = "the process group of the call"};
}

void DescribeCollective(const RankOf& rank, CallPlan& plan) {
  plan.descriptor["layout"] = "row_major";
  plan.descriptor["quant"] = "dense";
  plan.descriptor["world_size"] = rank.world_size;
  plan.descriptor["tp_size"] = rank.world_size;
}

AcceptanceRule SumAcceptance() {
  return {.steps_16_bit = 6,
          .steps_32_bit = 64,
          .group_weight = 1,
          .min_group_share = 0.98,
          .max_slacks = 4,
          .derivation =
              "A sum of one term per rank. 16-bit: each rank's term and each partial sum may be "
              "rounded once, half an epsilon of a partial sum's size, which the row's root mean "
              "square stands for; 6 epsilons cover 8 ranks. float32: 64 are allowed."};
}

void ReferenceOfOne(const Collective& collective, const CallPlan& plan,
                    std::span<const tensor::ConstTensorView> inputs,
                    std::span<const tensor::TensorView> outputs) {
  std::int64_t count = 1;
  for (const std::int64_t extent : outputs[0].shape()) count *= extent;
  std::vector<double> sum(static_cast<std::size_t>(count));
  collective.Partial(plan, inputs, sum);
  collective.Finish(plan, inputs, sum, outputs);
}

void FinishResidualNorm(std::span<const double> sum, const tensor::ConstTensorView& residual,
                        const tensor::ConstTensorView& weight, double eps,
                        std::span<const tensor::TensorView> outputs) {
  const RowReader rows(residual);
  const auto hidden = static_cast<std::size_t>(rows.width());
  const DenseFloats factors(weight);
  auto* out_norm = tensor::Elements<float>(outputs[0]);
  auto* out_residual = tensor::Elements<float>(outputs[1]);
  ParallelFor(rows.rows(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch;
    std::vector<double> unrounded(hidden);
    for (std::int64_t row = begin; row < end; ++row) {
      const std::span<const float> added = rows.Read(row, scratch);
      const auto first = static_cast<std::size_t>(row) * hidden;
      for (std::size_t i = 0; i < hidden; ++i) {
        unrounded[i] = sum[first + i] + static_cast<double>(added[i]);
        out_residual[first + i] = static_cast<float>(unrounded[i]);
      }
      NormaliseRow(unrounded, {factors.data(), hidden}, eps, out_norm + first);
    }
  });
}

}  // namespace cacheon::slots
