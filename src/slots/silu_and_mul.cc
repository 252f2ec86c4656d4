// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// activation.silu_and_mul: the gated activation of a dense feed-forward layer.

#include <algorithm>
#include <array>
#include <cmath>

#include "cacheon/core/parallel.h"
#include "cacheon/core/vector_clones.h"
#include "src/slots/call_builder.h"
#include "src/slots/exponential.h"
#include "src/slots/families.h"
#include "src/slots/plan.h"
#include "src/slots/row_reader.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr std::int64_t kElementsPerBlock = std::int64_t{1} << 16;

CACHEON_VECTOR_CLONES void SiluAndMulRow(const float* gate, const float* up, std::int64_t d,
                                         float* out) {
  for (std::int64_t i = 0; i < d; ++i) {
    out[i] = static_cast<float>(Silu(gate[i]) * static_cast<double>(up[i]));
  }
}

Contract MakeContract() {
  return {
      .id = "activation.silu_and_mul",
      .kind = Kind::kOp,
      .entry = "silu_and_mul",
      .arguments = {{.name = "x",
                     .role = Role::kInput,
                     .shape = {"...", "2*d"},
                     .graph_dynamic = true,
                     .padded_rows = true,
                     .meaning = "the gate in the first half of each row, the factor in the second"},
                    {.name = "out",
                     .role = Role::kOutput,
                     .shape = {"...", "d"},
                     .meaning = "silu(gate) * factor"}},
      .semantics =
          "out = silu(x[..., :d]) * x[..., d:] with silu(z) = z / (1 + e^-z). In 16-bit "
          "calls the product may be rounded once, or silu and product once each.",
      .policy = {.metric = tensor::Metric::kAllClose},
      .acceptance = {.steps_16_bit = 4,
                     .steps_32_bit = 64,
                     .group_weight = 0x1p-10,
                     .derivation =
                         "One product of two factors, so errors are relative to the element. "
                         "16-bit: sigmoid, silu and product rounded once each are 1.5 epsilon; 4 "
                         "are allowed. float32: fast exponentials err by 2 + 1.2 |z| units in the "
                         "last place, and at |z| > 50 the result is far below the row's size, of "
                         "which 2^-10 counts; 64 are allowed."}};
}

// Gates at which implementations of the sigmoid overflow, saturate or lose their sign.
float SaturatedGate(std::int64_t column) {
  constexpr std::array<float, 12> kGates = {200, -200, 88, -88, 104, -104,
                                            30,  -30,  17, -17, 11,  -11};
  return kGates[static_cast<std::size_t>(column) % kGates.size()];
}

// The smallest positive number of a format: factors of a few of them make subnormal products.
float SmallestSubnormal(DType dtype) {
  if (dtype == DType::kFloat16) return 0x1p-24F;
  return dtype == DType::kBFloat16 ? 0x1p-133F : 0x1p-149F;
}

FloatSource ValuesOf(const Case& the_case, DType dtype, std::uint64_t seed, std::int64_t d) {
  FloatSource normal = NormalSource({.seed = seed});
  const std::string& profile = the_case.value_profile;
  if (profile == "saturation") {
    return MapValues(std::move(normal), [d](std::int64_t position, float value) {
      const std::int64_t column = position % (2 * d);
      return column < d ? SaturatedGate(column) : value;
    });
  }
  if (profile == "large") {  // products near 60,000, just within float16
    return MapValues(std::move(normal), [d](std::int64_t position, float value) {
      return position % (2 * d) < d ? 200.0F : std::copysign(300.0F, value);
    });
  }
  if (profile == "subnormal") {  // every second factor; the others keep the row's size
    const float unit = 64 * SmallestSubnormal(dtype);
    return MapValues(std::move(normal), [d, unit](std::int64_t position, float value) {
      const std::int64_t column = position % (2 * d);
      return column < d || column % 2 == 0 ? value : value * unit;
    });
  }
  if (profile == "row_scales") return ScaleRows(std::move(normal), 2 * d, 7);
  return normal;
}

class SiluAndMulSlot final : public Slot {
 public:
  const Contract& contract() const override {
    static const Contract kContract = MakeContract();
    return kContract;
  }

  std::vector<Case> PublishedCases() const override {
    std::vector<Case> cases;
    for (const auto& [tokens, d] :
         {std::pair{1, 1024}, {8, 1024}, {128, 4096}, {4096, 4096}, {333, 2880}}) {
      cases.push_back(PublishedCase({{"num_tokens", tokens}, {"d", d}}));
    }
    return cases;
  }

  std::vector<Case> OurCases() const override;

  Result<CallPlan> Plan(const Case& the_case, DType call_dtype, std::uint64_t seed) const override;

  void Reference(const CallPlan& /*plan*/, std::span<const tensor::ConstTensorView> inputs,
                 std::span<const tensor::TensorView> outputs) const override {
    const RowReader rows(inputs[0]);
    const std::int64_t d = rows.width() / 2;
    auto* out = tensor::Elements<float>(outputs[0]);
    const std::int64_t block =
        std::max<std::int64_t>(1, kElementsPerBlock / std::max<std::int64_t>(d, 1));
    ParallelFor(rows.rows(), block, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> scratch;
      for (std::int64_t row = begin; row < end; ++row) {
        const std::span<const float> x = rows.Read(row, scratch);
        SiluAndMulRow(x.data(), x.data() + d, d, out + row * d);
      }
    });
  }
};

std::vector<Case> SiluAndMulSlot::OurCases() const {
  std::vector<Case> cases;
  // No rows, one row, one column, and widths of 1, 2, 3, 5 and 14 warps and beside them.
  for (const auto& [tokens, d] : {std::pair{0, 64},
                                  {1, 1},
                                  {3, 17},
                                  {2, 32},
                                  {5, 64},
                                  {3, 96},
                                  {4, 160},
                                  {2, 448},
                                  {5, 1537}}) {
    cases.push_back(OurCase({{"num_tokens", tokens}, {"d", d}}));
  }
  struct Padded {
    int tokens, d, padding, offset;
  };
  // Pitches that are no multiple of a vector; 46 elements among them.
  for (const Padded& p : {Padded{2, 8, 8, 8}, Padded{1, 33, 7, 3}, Padded{7, 20, 6, 1},
                          Padded{33, 23, 1, 1}, Padded{128, 160, 3, 5}, Padded{9, 448, 64, 0}}) {
    cases.push_back(OurCase(
        {{"num_tokens", p.tokens}, {"d", p.d}, {"row_padding", p.padding}, {"offset", p.offset}},
        "padded"));
  }
  cases.push_back(OurCase({{"num_tokens", 16}, {"d", 256}}, "dense", "saturation"));
  cases.push_back(OurCase({{"num_tokens", 3}, {"d", 96}}, "padded", "saturation"));
  cases.push_back(OurCase({{"num_tokens", 16}, {"d", 128}}, "dense", "large"));
  cases.push_back(OurCase({{"num_tokens", 8}, {"d", 96}}, "dense", "subnormal"));
  cases.push_back(OurCase({{"num_tokens", 64}, {"d", 320}}, "dense", "row_scales"));
  return cases;
}

Result<CallPlan> SiluAndMulSlot::Plan(const Case& the_case, DType call_dtype,
                                      std::uint64_t seed) const {
  RETURN_IF_ERROR(RequireCallDType(call_dtype));
  RETURN_IF_ERROR(RequireLayout(the_case, {"dense", "padded"}));
  RETURN_IF_ERROR(
      RequireProfile(the_case, {"default", "saturation", "large", "subnormal", "row_scales"}));
  ParameterReader parameters(the_case);
  ASSIGN_OR_RETURN(const std::int64_t tokens, parameters.Int("num_tokens", 0));
  ASSIGN_OR_RETURN(const std::int64_t d, parameters.Int("d", 1));
  if (d > kMaxDimension) return FailParameter("d", "the row is too wide");
  ASSIGN_OR_RETURN(PlannedTensor x,
                   RowsInput(the_case, parameters, "x", call_dtype, {tokens, 2 * d},
                             ValuesOf(the_case, call_dtype, seed, d)));
  RETURN_IF_ERROR(parameters.Finish());
  CallBuilder call(contract(), the_case, call_dtype, seed);
  call.Add(std::move(x));
  ASSIGN_OR_RETURN(CallPlan plan, call.Finish());
  plan.descriptor["last_dim"] = Json(2 * d);
  return plan;
}

}  // namespace

const Slot& SiluAndMul() {
  static const SiluAndMulSlot kSlot;
  return kSlot;
}

}  // namespace cacheon::slots
