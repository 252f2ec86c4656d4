// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/nvfp4_weights.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "cacheon/core/philox.h"
#include "cacheon/tensor/dtype.h"
#include "cacheon/tensor/nvfp4.h"
#include "src/slots/plan.h"
#include "src/slots/sources.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;

// A scale belongs to 16 numbers whose largest is about 2.1 deviations.
constexpr double kLargestOfBlock = 2.1;
constexpr double kLargestE2M1 = 6;

// Code of E2M1 for each of 256 equally likely steps of the normal distribution.
std::array<std::uint8_t, 256> NormalCodes() {
  std::array<std::uint8_t, 256> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double wanted = (static_cast<double>(i) + 0.5) / 256;
    double low = -6;
    double high = 6;
    for (int step = 0; step < 60; ++step) {  // bisects Phi(z) = wanted
      const double middle = (low + high) / 2;
      (0.5 * std::erfc(-middle / std::sqrt(2.0)) < wanted ? low : high) = middle;
    }
    codes[i] = tensor::ToFloat4E2M1(static_cast<float>(low * kLargestE2M1 / kLargestOfBlock));
  }
  return codes;
}

// 16 random bits become one byte of two numbers.
IntSource PackedSource(Draw draw) {
  return [generator = Philox(draw.seed, draw.stream)](std::int64_t first,
                                                      std::span<std::int64_t> out) {
    static const std::array<std::uint8_t, 256> kCodes = NormalCodes();
    // Two bytes per word; draws start at a whole block of four words.
    const std::int64_t begin = first / 8 * 8;
    const auto skipped = static_cast<std::size_t>(first - begin);
    std::vector<std::uint32_t> words((skipped + out.size() + 1) / 2);
    FillBits(generator, static_cast<std::uint64_t>(begin / 2), words);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t at = skipped + i;
      const std::uint32_t bits = words[at / 2] >> (at % 2 * 16);
      out[i] = kCodes[bits & 0xFFU] | kCodes[(bits >> 8U) & 0xFFU] << 4U;
    }
  };
}

struct ScaleMatrix {
  std::int64_t rows, columns;
  tensor::SwizzledShape padded;
};

// The bytes of swizzled scales: E4M3 codes 7 to 13, from 0.0137 to 0.0254, zero in the padding.
IntSource ScaleSource(Draw draw, ScaleMatrix matrix) {
  return
      [bits = UniformIntSource(draw, 7), matrix](std::int64_t first, std::span<std::int64_t> out) {
        constexpr std::int64_t kLowestCode = 7;
        bits(first, out);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const std::int64_t at = (first + static_cast<std::int64_t>(i)) % matrix.padded.count();
          const std::int64_t tile = at / 512;
          const std::int64_t tiles_per_row = matrix.padded.columns / 4;
          const std::int64_t row = tile / tiles_per_row * 128 + at % 16 / 4 * 32 + at % 512 / 16;
          const std::int64_t column = tile % tiles_per_row * 4 + at % 4;
          const bool inside = row < matrix.rows && column < matrix.columns;
          out[i] = inside ? out[i] + kLowestCode : 0;
        }
      };
}

FloatSource OuterScales(std::int64_t shift, bool varied) {
  static constexpr std::array<float, 4> kScales = {1, 0.5F, 2, 1.5F};
  return [shift, varied](std::int64_t first, std::span<float> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto at = static_cast<std::size_t>(first + shift) + i;
      out[i] = varied ? kScales[at % kScales.size()] : 1.0F;
    }
  };
}

Status AddMatrix(std::string_view name, const Shape& shape, Draw draw, CallBuilder& call) {
  ASSIGN_OR_RETURN(const tensor::SwizzledShape padded,
                   tensor::SwizzledScaleShape(shape[1], shape[2] / tensor::kNvfp4Block));
  RETURN_IF_ERROR(call.AddDense(fmt::format("{}_weight", name), DType::kUInt8,
                                {shape[0], shape[1], shape[2] / 2}, PackedSource(draw)));
  return call.AddDense(
      fmt::format("{}_weight_scale", name), DType::kFloat8E4M3,
      {shape[0], padded.rows, padded.columns},
      ScaleSource({.seed = draw.seed, .stream = draw.stream + 1},
                  {.rows = shape[1], .columns = shape[2] / tensor::kNvfp4Block, .padded = padded}));
}

Argument Field(std::string_view name, std::vector<DType> dtypes,
               std::vector<std::string_view> shape, std::string_view meaning) {
  return {.name = name,
          .role = Role::kInput,
          .dtypes = std::move(dtypes),
          .shape = std::move(shape),
          .meaning = meaning};
}

Status CheckScales(const CallPlan& plan, std::string_view name, std::int64_t rows,
                   std::int64_t columns) {
  ASSIGN_OR_RETURN(const tensor::SwizzledShape wanted,
                   tensor::SwizzledScaleShape(rows, columns / tensor::kNvfp4Block));
  const auto& shape = TensorOf(plan, name).layout.shape;
  if (shape[1] == wanted.rows && shape[2] == wanted.columns) return {};
  return Fail(
      "slot.shape",
      fmt::format("swizzled scales are [{}, {}, {}]", shape[0], wanted.rows, wanted.columns),
      {.key_path = std::string(name)});
}

bool IsInterleaved(const CallPlan& plan) {
  const auto found = plan.origin.parameters.find("w13_layout");
  return found != plan.origin.parameters.end() && found->second == Json(kInterleavedLayout);
}

std::vector<float> Products(const ConstTensorView& a, const ConstTensorView& b) {
  std::vector<float> products(static_cast<std::size_t>(a.shape()[0]));
  for (std::size_t i = 0; i < products.size(); ++i) {
    products[i] = tensor::Elements<float>(a)[i] * tensor::Elements<float>(b)[i];
  }
  return products;
}

}  // namespace

std::vector<Argument> Nvfp4PrepareArguments() {
  const std::vector<DType> scale = {DType::kFloat8E4M3, DType::kUInt8};
  const std::vector<DType> bytes = {DType::kUInt8};
  const std::vector<DType> floats = {DType::kFloat32};
  return {Field("w13_weight", bytes, {"E", "2*I", "H/2"}, "packed E2M1, even element low"),
          Field("w13_weight_scale", scale, {"E", "R13", "C13"}, "E4M3 per 16 elements, swizzled"),
          Field("w2_weight", bytes, {"E", "H", "I/2"}, "packed E2M1, even element low"),
          Field("w2_weight_scale", scale, {"E", "R2", "C2"}, "E4M3 per 16 elements, swizzled"),
          Field("g1_alphas", floats, {"E"}, "with w13_input_scale_quant the outer scale of w13"),
          Field("w13_input_scale_quant", floats, {"E"}, "inverse scale of the first activations"),
          Field("g2_alphas", floats, {"E"}, "with w2_input_scale_quant the outer scale of w2"),
          Field("w2_input_scale_quant", floats, {"E"}, "inverse scale of the second activations")};
}

Status AddNvfp4Weights(const MoeSizes& sizes, std::uint64_t seed, bool outer_scales,
                       CallBuilder& call) {
  RETURN_IF_ERROR(AddMatrix("w13", {sizes.experts, 2 * sizes.intermediate, sizes.hidden},
                            {.seed = seed, .stream = 3}, call));
  RETURN_IF_ERROR(AddMatrix("w2", {sizes.experts, sizes.hidden, sizes.intermediate},
                            {.seed = seed, .stream = 5}, call));
  std::int64_t shift = 0;
  for (const char* name :
       {"g1_alphas", "w13_input_scale_quant", "g2_alphas", "w2_input_scale_quant"}) {
    RETURN_IF_ERROR(
        call.AddDense(name, DType::kFloat32, {sizes.experts}, OuterScales(shift++, outer_scales)));
  }
  return {};
}

Status CheckNvfp4(const CallPlan& plan) {
  const auto& w2 = TensorOf(plan, "w2_weight").layout.shape;
  const std::int64_t hidden = w2[1];
  const std::int64_t intermediate = w2[2] * 2;
  if (hidden % tensor::kNvfp4Block != 0 || intermediate % tensor::kNvfp4Block != 0) {
    return Fail("slot.shape",
                fmt::format("{} and {} columns are not whole blocks of 16", hidden, intermediate),
                {.key_path = "w2_weight"});
  }
  if (IsInterleaved(plan) && intermediate % tensor::kNvfp4InterleaveRows != 0) {
    return Fail("slot.shape", "interleaved rows come in whole groups of 64",
                {.key_path = "w13_weight"});
  }
  RETURN_IF_ERROR(CheckScales(plan, "w13_weight_scale", 2 * intermediate, hidden));
  return CheckScales(plan, "w2_weight_scale", hidden, intermediate);
}

Nvfp4Matrices MakeNvfp4Matrices(const CallPlan& plan, std::span<const ConstTensorView> view) {
  Nvfp4Matrices matrices{.w13 = {.packed = view[0],
                                 .scales = view[1],
                                 .outer = Products(view[4], view[5]),
                                 .stored_row = {}},
                         .w2 = {.packed = view[2],
                                .scales = view[3],
                                .outer = Products(view[6], view[7]),
                                .stored_row = {}}};
  if (!IsInterleaved(plan)) return matrices;
  const auto sources = tensor::InterleavedRowSources(view[2].shape()[2] * 2);
  CACHEON_CHECK(sources.has_value(), "the plan has checked the groups of 64");
  matrices.w13.stored_row.resize(sources->size());
  for (std::size_t stored = 0; stored < sources->size(); ++stored) {
    matrices.w13.stored_row[static_cast<std::size_t>((*sources)[stored])] =
        static_cast<std::int64_t>(stored);
  }
  return matrices;
}

}  // namespace cacheon::slots
