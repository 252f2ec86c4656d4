// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// norm.rmsnorm: root-mean-square normalisation with a weight per column.

#include "src/slots/normalise_row.h"

#include <algorithm>
#include <cmath>

#include "cacheon/core/parallel.h"
#include "src/slots/call_builder.h"
#include "src/slots/families.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr std::int64_t kElementsPerBlock = std::int64_t{1} << 16;
constexpr double kDefaultEps = 1e-6;

Contract MakeContract() {
  return {
      .id = "norm.rmsnorm",
      .kind = Kind::kOp,
      .entry = "rmsnorm",
      .arguments = {{.name = "x",
                     .role = Role::kInput,
                     .shape = {"...", "H"},
                     .graph_dynamic = true,
                     .padded_rows = true,
                     .meaning = "the rows to normalise"},
                    {.name = "weight",
                     .role = Role::kInput,
                     .shape = {"H"},
                     .meaning = "one factor per column"},
                    {.name = "out",
                     .role = Role::kOutput,
                     .shape = {"...", "H"},
                     .meaning = "the normalised rows times the weight"},
                    {.name = "eps",
                     .role = Role::kScalar,
                     .scalar = ScalarType::kFloat64,
                     .meaning = "added to the mean square; comes after out"}},
      .semantics =
          "out = x * (mean(x^2) + eps)^-1/2 * weight over the last dimension, rounded once "
          "at the end. No residual is added.",
      .policy = {.metric = tensor::Metric::kAllClose},
      .acceptance = {.steps_16_bit = 4,
                     .steps_32_bit = 128,
                     .group_weight = 0x1p-10,
                     .derivation =
                         "A product of three factors, so errors are relative to the element. "
                         "16-bit: normalised value and product rounded once each are 1 epsilon; 4 "
                         "are allowed. float32: the sum of H squares in sequence errs by about "
                         "sqrt(H) half epsilons, halved by the root, 20 for H = 6144; 128 are "
                         "allowed."},
      .unavailable_in = {"MiniMax-M3"}};
}

FloatSource RowsOf(const Case& the_case, DType dtype, std::uint64_t seed, std::int64_t hidden) {
  FloatSource normal = NormalSource({.seed = seed, .stream = 0});
  const std::string& profile = the_case.value_profile;
  if (profile == "eps_dominated") {  // mean squares from 1e-6 to 1e-4
    return MapValues(std::move(normal), [hidden](std::int64_t position, float value) {
      constexpr float kSmallestRms = 1e-3F;
      return value * kSmallestRms * static_cast<float>(1 + position / hidden % 10);
    });
  }
  if (profile == "large_squares") {  // 300^2 is beyond float16
    return MapValues(std::move(normal),
                     [](std::int64_t, float value) { return std::copysign(300.0F, value); });
  }
  if (profile == "subnormal") {  // every second column; the others keep the row's size
    const float unit = dtype == DType::kFloat16 ? 0x1p-20F : 0x1p-130F;
    return MapValues(std::move(normal), [hidden, unit](std::int64_t position, float value) {
      return position % hidden % 2 == 0 ? value : value * unit;
    });
  }
  if (profile == "offset") {  // a mean that a layer normalisation would take away
    return MapValues(std::move(normal), [](std::int64_t, float value) { return value + 3.0F; });
  }
  if (profile == "outlier") {  // one column carries the whole sum, in another place per row
    return MapValues(std::move(normal), [hidden](std::int64_t position, float value) {
      constexpr std::int64_t kStep = 7;
      constexpr float kOutlier = 1000.0F;
      const std::int64_t row = position / hidden;
      return position % hidden == row * kStep % hidden ? kOutlier : value;
    });
  }
  if (profile == "row_scales") return ScaleRows(std::move(normal), hidden, 7);
  if (profile == "zero_rows") {  // every second row is zero
    return MapValues(std::move(normal), [hidden](std::int64_t position, float value) {
      return position / hidden % 2 == 0 ? value : 0.0F;
    });
  }
  return normal;
}

class RmsNormSlot final : public Slot {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, hidden] :
         {std::pair{1, 2880}, {8, 2880}, {128, 2880}, {64, 6144}, {4096, 4096}, {333, 1536}}) {
      cases.push_back(PublishedCase({{"num_tokens", tokens}, {"hidden", hidden}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override;

  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;

  void Reference(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    const RowReader rows(inputs[0]);
    const double eps = FloatOf(plan, "eps");
    const std::int64_t hidden = rows.width();
    std::vector<float> weight_scratch;
    const std::span<const float> weight = RowReader(inputs[1]).Read(0, weight_scratch);
    auto* out = tensor::Elements<float>(outputs[0]);
    const std::int64_t block =
        std::max<std::int64_t>(1, kElementsPerBlock / std::max<std::int64_t>(hidden, 1));
    ParallelFor(rows.rows(), block, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch;
      for (std::int64_t row = begin; row < end; ++row) {
        NormaliseRow(rows.Read(row, scratch), weight, eps, out + row * hidden);
      }
    });
  }
};

std::vector<Case> RmsNormSlot::OurCases() const {
  std::vector<Case> cases;
  // No rows, one row, one column, and widths of 1, 2, 3, 5 and 14 warps and beside them.
  for (const auto& [tokens, hidden] : {std::pair{0, 64},
                                       {1, 1},
                                       {3, 17},
                                       {2, 32},
                                       {5, 64},
                                       {3, 96},
                                       {4, 160},
                                       {2, 448},
                                       {5, 1537}}) {
    cases.push_back(OurCase({{"num_tokens", tokens}, {"hidden", hidden}}));
  }
  struct Padded {
    int tokens, hidden, padding, offset;
  };
  // Pitches that are no multiple of a vector; 46 elements among them.
  for (const Padded& p : {Padded{2, 8, 16, 8}, Padded{1, 33, 7, 3}, Padded{7, 40, 6, 1},
                          Padded{33, 45, 1, 1}, Padded{128, 160, 3, 5}, Padded{9, 448, 64, 0}}) {
    cases.push_back(OurCase({{"num_tokens", p.tokens},
                             {"hidden", p.hidden},
                             {"row_padding", p.padding},
                             {"offset", p.offset}},
                            "padded"));
  }
  for (const double eps : {1e-6, 1e-5, 1e-3}) {
    cases.push_back(
        OurCase({{"num_tokens", 20}, {"hidden", 320}, {"eps", eps}}, "dense", "eps_dominated"));
  }
  cases.push_back(OurCase({{"num_tokens", 4}, {"hidden", 256}, {"eps", 0.5}}));
  for (const char* profile :
       {"large_squares", "subnormal", "offset", "outlier", "row_scales", "zero_rows"}) {
    cases.push_back(
        OurCase({{"num_tokens", 16}, {"hidden", 384}, {"eps", 1e-5}}, "dense", profile));
  }
  cases.push_back(OurCase({{"num_tokens", 33}, {"hidden", 96}}, "padded", "row_scales"));
  return cases;
}

Result<CallPlan> RmsNormSlot::Plan(const Case& the_case, DType call_dtype,
                                   std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense", "padded"}));
  RETURN_IF_ERROR(
      RequireProfile(the_case, {"default", "eps_dominated", "large_squares", "subnormal", "offset",
                                "outlier", "row_scales", "zero_rows"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const std::int64_t tokens, parameters.Int("num_tokens", 0));
  ASSIGN_OR_RETURN(const std::int64_t hidden, parameters.Int("hidden", 1));
  ASSIGN_OR_RETURN(const double eps, parameters.Float("eps", kDefaultEps));
  if (eps <= 0) return FailParameter("eps", "a row of zeros needs a positive eps");
  ASSIGN_OR_RETURN(PlannedTensor x,
                   RowsInput(the_case, parameters, "x", call_dtype, {tokens, hidden},
                             RowsOf(the_case, call_dtype, seed, hidden)));
  ASSIGN_OR_RETURN(PlannedTensor weight, DenseInput("weight", call_dtype, {hidden},
                                                    NormalSource({.seed = seed, .stream = 1})));
  RETURN_IF_ERROR(parameters.Finish());
  CallBuilder call(contract(), the_case, call_dtype, seed);
  call.Add(std::move(x));
  call.Add(std::move(weight));
  call.Add(FloatScalar("eps", eps));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  plan.descriptor["last_dim"] = Json(hidden);
  return plan;
}

}  // namespace

const Slot& RmsNorm() {
  static const RmsNormSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
