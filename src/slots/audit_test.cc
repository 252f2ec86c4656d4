// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Proof that the cases bite: trivial kernels and insensitive arguments for every slot, and for the
// row operators a bank of mutants, each right except for one fault, and of honest variants.

#include "cacheon/slots/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "src/slots/call_builder.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;
using tensor::TensorView;

class EverySlotAudit : public ::testing::TestWithParam<const Slot*> {};

TEST_P(EverySlotAudit, TrivialKernelsFailEveryCase) {
  const Slot& slot = *GetParam();
  std::vector<Subject> trivial = TrivialKernels(slot);
  // A choice may rightly be the first row's, or block 0, where few blocks are visible.
  if (slot.contract().policy.metric == tensor::Metric::kTopKOverlapIndices) trivial.resize(1);
  const auto audits = AuditSubjects(slot, trivial, {.max_elements = 1 << 18});
  ASSERT_TRUE(audits.has_value()) << audits.error().message;
  for (const SubjectAudit& audit : *audits) {
    EXPECT_TRUE(audit.as_expected)
        << audit.name << " passes " << audit.unexpected.size() << " cases, the first is "
        << (audit.unexpected.empty() ? 0 : audit.unexpected[0].case_index);
  }
}

TEST_P(EverySlotAudit, EveryArgumentMatters) {
  const auto insensitive = InsensitiveArguments(*GetParam(), {.max_elements = 1 << 18});
  ASSERT_TRUE(insensitive.has_value()) << insensitive.error().message;
  EXPECT_EQ(*insensitive, std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EverySlotAudit,
                         ::testing::ValuesIn(Catalogue().begin(), Catalogue().end()),
                         [](const auto& instance) {
                           std::string name(instance.param->contract().id);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// ------------------------------------------------------------------------------- row operators

float RoundTo(DType dtype, float value) {
  std::byte bytes[4];
  tensor::NarrowFromFloat(dtype, {&value, 1}, bytes);
  float rounded = 0;
  tensor::WidenToFloat(dtype, bytes, {&rounded, 1});
  return rounded;
}

// What a kernel sees of one row.
struct Row {
  std::vector<float> x = {};
  std::vector<float> weight = {};
  double eps = 0;
  DType dtype = DType::kFloat32;
  std::int64_t index = 0;
  std::int64_t rows = 0;
};

using RowKernel = std::function<std::vector<float>(const Row& row)>;

// `dense` reads the input as if it had no gaps. A row that comes back empty stays unwritten.
NativeKernel ByRow(RowKernel kernel, bool dense = false) {
  return [kernel = std::move(kernel), dense](const CallPlan& plan,
                                             std::span<const ConstTensorView> inputs,
                                             std::span<const TensorView> outputs) {
    ConstTensorView x = inputs[0];
    if (dense) x.layout = tensor::DenseLayout(x.layout.shape).value();
    Row row{.dtype = plan.call_dtype, .rows = x.layout.shape[0]};
    if (inputs.size() > 1) {
      row.weight.resize(static_cast<std::size_t>(inputs[1].shape()[0]));
      tensor::ReadFloats(inputs[1], 0, row.weight);
      row.eps = FloatOf(plan, "eps");
    }
    row.x.resize(static_cast<std::size_t>(x.layout.shape[1]));
    for (row.index = 0; row.index < row.rows; ++row.index) {
      tensor::ReadFloats(x, row.index * x.layout.shape[1], row.x);
      const std::vector<float> out = kernel(row);
      const std::int64_t at = row.index * outputs[0].shape()[1] *
                              static_cast<std::int64_t>(tensor::ItemSize(plan.call_dtype));
      tensor::NarrowFromFloat(plan.call_dtype, out, outputs[0].data + at);
    }
  };
}

using Gate = std::function<float(const Row& row, float gate, float up)>;

RowKernel SiluRow(Gate combine) {
  return [combine = std::move(combine)](const Row& row) {
    const std::size_t d = row.x.size() / 2;
    std::vector<float> out(d);
    for (std::size_t i = 0; i < d; ++i) out[i] = combine(row, row.x[i], row.x[d + i]);
    return out;
  };
}

float Silu32(float z) { return z / (1.0F + std::exp(-z)); }

Subject Mutant(std::string_view name, std::string_view fault, NativeKernel run) {
  return {.name = name, .fault = fault, .expectation = Expectation::kKilled, .run = std::move(run)};
}

Subject Honest(std::string_view name, std::string_view how, NativeKernel run) {
  return {.name = name, .fault = how, .expectation = Expectation::kSurvives, .run = std::move(run)};
}

RowKernel RightSilu() {
  return SiluRow([](const Row&, float gate, float up) { return Silu32(gate) * up; });
}

// The right row, then changed.
RowKernel Spoiled(RowKernel right,
                  std::function<void(const Row& row, std::vector<float>& out)> spoil) {
  return [right = std::move(right), spoil = std::move(spoil)](const Row& row) {
    std::vector<float> out = right(row);
    spoil(row, out);
    return out;
  };
}

std::vector<Subject> SiluBank() {
  const auto gate = [](Gate combine) { return ByRow(SiluRow(std::move(combine))); };
  return {
      Honest("float32", "one rounding at the end", ByRow(RightSilu())),
      Honest("two-roundings", "silu rounded, then the product",
             gate([](const Row& r, float g, float u) { return RoundTo(r.dtype, Silu32(g)) * u; })),
      Honest("three-roundings", "sigmoid, silu and product rounded",
             gate([](const Row& r, float g, float u) {
               const float sigmoid = RoundTo(r.dtype, 1.0F / (1.0F + std::exp(-g)));
               return RoundTo(r.dtype, g * sigmoid) * u;
             })),
      Honest("tanh", "the sigmoid through tanh in double", gate([](const Row&, float g, float u) {
               return static_cast<float>(g * 0.5 * (1 + std::tanh(g * 0.5)) * u);
             })),
      Mutant("no-activation", "drops the activation",
             gate([](const Row&, float g, float u) { return g * u; })),
      Mutant("swapped-halves", "gate and factor exchanged",
             gate([](const Row&, float g, float u) { return Silu32(u) * g; })),
      Mutant("sigmoid-only", "the sigmoid without the gate",
             gate([](const Row&, float g, float u) { return u / (1.0F + std::exp(-g)); })),
      Mutant("relu", "another activation",
             gate([](const Row&, float g, float u) { return std::max(g, 0.0F) * u; })),
      Mutant("overflowing-exponential", "e^z / (1 + e^z)", gate([](const Row&, float g, float u) {
               const float e = std::exp(g);
               return g * (e / (1.0F + e)) * u;
             })),
      Mutant("polynomial-sigmoid", "a clipped polynomial for the sigmoid",
             gate([](const Row&, float g, float u) {
               return g * std::clamp(0.5F + g * 0.1963F, 0.0F, 1.0F) * u;
             })),
      Mutant("dense-indexing", "ignores the pitch of padded rows", ByRow(RightSilu(), true)),
      Mutant("last-row", "skips the last row",
             ByRow(Spoiled(RightSilu(),
                           [](const Row& r, auto& out) {
                             if (r.index == r.rows - 1) out.clear();
                           }))),
      Mutant("tail", "skips the columns after whole vectors of 8",
             ByRow(Spoiled(RightSilu(),
                           [](const Row&, auto& out) { out.resize(out.size() / 8 * 8); }))),
      Mutant("one-in-a-hundred", "junk in every hundredth element",
             ByRow(Spoiled(RightSilu(),
                           [](const Row&, auto& out) {
                             for (std::size_t i = 0; i < out.size(); i += 100) out[i] = 10000;
                           }))),
      Mutant("small-is-zero", "flushes results below the absolute tolerance",
             ByRow(Spoiled(RightSilu(),
                           [](const Row& r, auto& out) {
                             const float limit = r.dtype == DType::kFloat32 ? 8e-6F : 8e-3F;
                             for (float& value : out) value = std::fabs(value) < limit ? 0 : value;
                           }))),
      Mutant("row-swap", "writes odd rows from the even ones",
             [](const CallPlan& plan, std::span<const ConstTensorView> inputs,
                std::span<const TensorView> outputs) {
               std::vector<float> even;
               ByRow([&even](const Row& r) {
                 std::vector<float> out = RightSilu()(r);
                 if (r.index % 2 == 0) even = out;
                 return even;
               })(plan, inputs, outputs);
             }),
  };
}

float MeanSquare(const Row& row) {
  float sum = 0;
  for (const float value : row.x) sum += value * value;
  return sum / static_cast<float>(row.x.size());
}

// out = x * factor(row) * weight.
RowKernel Scaled(std::function<float(const Row& row)> factor) {
  return [factor = std::move(factor)](const Row& row) {
    const float scale = factor(row);
    std::vector<float> out(row.x.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = row.x[i] * scale * row.weight[i];
    return out;
  };
}

RowKernel RightNorm() {
  return Scaled(
      [](const Row& r) { return 1.0F / std::sqrt(MeanSquare(r) + static_cast<float>(r.eps)); });
}

std::vector<Subject> RmsNormBank() {
  const auto scaled = [](std::function<float(const Row&)> factor) {
    return ByRow(Scaled(std::move(factor)));
  };
  const auto spoiled = [](std::function<void(const Row&, std::vector<float>&)> spoil) {
    return ByRow(Spoiled(RightNorm(), std::move(spoil)));
  };
  return {
      Honest("float32", "a sum in sequence in float32", ByRow(RightNorm())),
      Honest("double", "a sum in double", scaled([](const Row& r) {
               double sum = 0;
               for (const float value : r.x) sum += static_cast<double>(value) * value;
               return static_cast<float>(1 /
                                         std::sqrt(sum / static_cast<double>(r.x.size()) + r.eps));
             })),
      Honest("rounded-norm", "the normalised value rounded before the weight",
             ByRow([](const Row& r) {
               const float scale = 1.0F / std::sqrt(MeanSquare(r) + static_cast<float>(r.eps));
               std::vector<float> out(r.x.size());
               for (std::size_t i = 0; i < out.size(); ++i) {
                 out[i] = RoundTo(r.dtype, r.x[i] * scale) * r.weight[i];
               }
               return out;
             })),
      Honest("weight-first", "the weight times the factor first", ByRow([](const Row& r) {
               const float scale = 1.0F / std::sqrt(MeanSquare(r) + static_cast<float>(r.eps));
               std::vector<float> out(r.x.size());
               for (std::size_t i = 0; i < out.size(); ++i) out[i] = r.x[i] * (scale * r.weight[i]);
               return out;
             })),
      Mutant("eps-ignored", "no eps", scaled([](const Row& r) {
               return 1.0F / std::sqrt(std::max(MeanSquare(r), 1e-30F));
             })),
      Mutant("eps-hard-coded", "always 1e-6",
             scaled([](const Row& r) { return 1.0F / std::sqrt(MeanSquare(r) + 1e-6F); })),
      Mutant("eps-outside", "added to the root", scaled([](const Row& r) {
               return 1.0F / (std::sqrt(MeanSquare(r)) + static_cast<float>(r.eps));
             })),
      Mutant("half-squares", "squares in float16", scaled([](const Row& r) {
               float sum = 0;
               for (const float value : r.x) sum += RoundTo(DType::kFloat16, value * value);
               return 1.0F /
                      std::sqrt(sum / static_cast<float>(r.x.size()) + static_cast<float>(r.eps));
             })),
      Mutant("half-sum", "a sum that is kept in bfloat16", scaled([](const Row& r) {
               float sum = 0;
               for (const float value : r.x) sum = RoundTo(DType::kBFloat16, sum + value * value);
               return 1.0F /
                      std::sqrt(sum / static_cast<float>(r.x.size()) + static_cast<float>(r.eps));
             })),
      Mutant("layer-norm", "takes the mean away", ByRow([](const Row& r) {
               Row centred = r;
               float mean = 0;
               for (const float value : r.x) mean += value / static_cast<float>(r.x.size());
               for (float& value : centred.x) value -= mean;
               return RightNorm()(centred);
             })),
      Mutant("sum-not-mean", "no division by the width", scaled([](const Row& r) {
               return 1.0F / std::sqrt(MeanSquare(r) * static_cast<float>(r.x.size()) +
                                       static_cast<float>(r.eps));
             })),
      Mutant("no-weight", "leaves the weight out", spoiled([](const Row& r, auto& out) {
               for (std::size_t i = 0; i < out.size(); ++i) {
                 out[i] = r.weight[i] == 0 ? 0 : out[i] / r.weight[i];
               }
             })),
      Mutant("one-plus-weight", "a weight around zero", spoiled([](const Row& r, auto& out) {
               for (std::size_t i = 0; i < out.size(); ++i) {
                 out[i] = r.weight[i] == 0 ? 0 : out[i] / r.weight[i] * (1 + r.weight[i]);
               }
             })),
      Mutant("dense-indexing", "ignores the pitch of padded rows", ByRow(RightNorm(), true)),
      Mutant("last-row", "skips the last row", spoiled([](const Row& r, auto& out) {
               if (r.index == r.rows - 1) out.clear();
             })),
      Mutant("whole-warps", "sums whole warps only", scaled([](const Row& r) {
               float sum = 0;
               for (std::size_t i = 0; i < r.x.size() / 32 * 32; ++i) sum += r.x[i] * r.x[i];
               return 1.0F /
                      std::sqrt(sum / static_cast<float>(r.x.size()) + static_cast<float>(r.eps));
             })),
      Mutant("shared-factor", "the first row's factor for all",
             [](const CallPlan& plan, std::span<const ConstTensorView> inputs,
                std::span<const TensorView> outputs) {
               float factor = 0;
               ByRow(Scaled([&factor](const Row& r) {
                 if (r.index == 0)
                   factor = 1.0F / std::sqrt(MeanSquare(r) + static_cast<float>(r.eps));
                 return factor;
               }))(plan, inputs, outputs);
             }),
  };
}

void ExpectBankHolds(std::string_view id, const std::vector<Subject>& bank) {
  const auto audits = AuditSubjects(*FindSlot(id), bank, {.max_elements = 1 << 18});
  ASSERT_TRUE(audits.has_value()) << audits.error().message;
  std::int64_t mutants = 0;
  for (std::size_t i = 0; i < bank.size(); ++i) {
    mutants += bank[i].expectation == Expectation::kKilled ? 1 : 0;
    const SubjectAudit& audit = (*audits)[i];
    EXPECT_TRUE(audit.as_expected)
        << id << ": " << audit.name << " (" << bank[i].fault << "), killed " << audit.kills.size()
        << " times"
        << (audit.kills.empty() ? ""
                                : ", first by " + audit.kills[0].code + " in case " +
                                      std::to_string(audit.kills[0].case_index) + " of " +
                                      std::string(tensor::Name(audit.kills[0].dtype)));
  }
  EXPECT_GE(mutants, 12);
}

TEST(SiluAndMulBank, KillsEveryMutantAndSparesEveryHonestVariant) {
  ExpectBankHolds("activation.silu_and_mul", SiluBank());
}

TEST(RmsNormBank, KillsEveryMutantAndSparesEveryHonestVariant) {
  ExpectBankHolds("norm.rmsnorm", RmsNormBank());
}

TEST(Audit, ReportsAMutantThatSurvives) {
  const std::vector<Subject> bank = {Mutant("right", "none", ByRow(RightSilu()))};
  const auto audits =
      AuditSubjects(*FindSlot("activation.silu_and_mul"), bank, {.max_elements = 1 << 12});
  ASSERT_TRUE(audits.has_value());
  EXPECT_FALSE((*audits)[0].as_expected);
  EXPECT_TRUE((*audits)[0].kills.empty());
}

TEST(Audit, ReportsAnHonestVariantThatIsKilled) {
  const std::vector<Subject> bank = {
      Honest("wrong", "none", ByRow(SiluRow([](const Row&, float g, float u) { return g * u; })))};
  const auto audits =
      AuditSubjects(*FindSlot("activation.silu_and_mul"), bank, {.max_elements = 1 << 12});
  ASSERT_TRUE(audits.has_value());
  EXPECT_FALSE((*audits)[0].as_expected);
  EXPECT_FALSE((*audits)[0].unexpected.empty());
}

}  // namespace
}  // namespace cacheon::slots
