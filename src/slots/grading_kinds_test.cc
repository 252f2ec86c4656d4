// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Failures that only some comparators know.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cacheon/slots/grading.h"
#include "cacheon/slots/tensor_json.h"
#include "src/slots/acceptance.h"
#include "src/slots/call_storage.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

// The one output of a call in float32, right at first.
struct Answer {
  const Slot& slot;
  JudgedCall call;

  std::byte* data() const { return call.storage.outputs()[0].data; }
  std::int64_t width() const { return call.storage.outputs()[0].shape().back(); }

  void ExpectFailure(std::string_view code, std::string_view output) const {
    const auto grades =
        Grade(slot, call.plan, call.storage.const_outputs(), call.storage.const_expected());
    ASSERT_TRUE(grades.has_value());
    const OutputGrade& grade = (*grades)[0];
    ASSERT_TRUE(grade.failure.has_value());
    EXPECT_EQ(grade.failure->code.text(), code) << grade.failure->message;
    EXPECT_TRUE(grade.failure->where.key_path.starts_with(output)) << grade.failure->where.key_path;
  }
};

Answer RightAnswer(const Slot& slot, const Case& the_case) {
  Answer answer{.slot = slot, .call = MakeJudgedCall(slot, the_case, DType::kFloat32, 5).value()};
  const tensor::TensorView& expected = answer.call.storage.expected()[0];
  std::memcpy(
      answer.data(), expected.data,
      static_cast<std::size_t>(tensor::ElementCount(expected.shape()).value()) * sizeof(float));
  return answer;
}

TEST(GradingKinds, CosineSeesAWrongDirection) {
  const Slot& slot = *FindSlot("moe.fused_experts", "MiniMax-M3");
  const Answer answer = RightAnswer(slot, slot.OurCases()[2]);
  auto* out = reinterpret_cast<float*>(answer.data());
  for (std::int64_t i = 0; i < answer.width() * 4; ++i) out[i] = -out[i];
  answer.ExpectFailure("cmp.cosine", "out");
}

TEST(GradingKinds, CosineAloneWouldAcceptAnyScale) {
  const Slot& slot = *FindSlot("moe.fused_experts", "MiniMax-M3");
  const Answer answer = RightAnswer(slot, slot.OurCases()[2]);
  const auto count = tensor::ElementCount(answer.call.storage.outputs()[0].shape()).value();
  auto* out = reinterpret_cast<float*>(answer.data());
  for (std::int64_t i = 0; i < count; ++i) out[i] *= 1.45F;
  answer.ExpectFailure("cmp.group", "out");
}

TEST(GradingKinds, OneRowThatIsSlightlyWrongFailsAlone) {
  const Slot& slot = *FindSlot("attention.sdpa");
  const Answer answer = RightAnswer(slot, slot.PublishedCases()[2]);
  const SlackScale scale = SlackScaleOf(slot.contract().acceptance, DType::kFloat32);
  auto* row = reinterpret_cast<float*>(answer.data()) + 40 * answer.width();
  double squares = 0;
  for (std::int64_t i = 0; i < answer.width(); ++i) squares += static_cast<double>(row[i]) * row[i];
  const double rms = std::sqrt(squares / static_cast<double>(answer.width()));
  for (std::int64_t i = 0; i < answer.width(); ++i) {
    row[i] += static_cast<float>(2.5 * scale.unit * (std::fabs(row[i]) + rms));
  }
  answer.ExpectFailure("cmp.group", "out[2, 8,");  // token 2, head 8 of 16
}

TEST(GradingKinds, WrongBlocksFailTheOverlap) {
  const Slot& slot = *FindSlot("attention.msa_prefill_block_score");
  const Answer answer = RightAnswer(slot, slot.PublishedCases()[3]);
  auto* ids = reinterpret_cast<std::int32_t*>(answer.data());
  std::fill_n(ids, answer.width(), 0);
  answer.ExpectFailure("cmp.overlap", "out_topk");
}

TEST(GradingKinds, ABlockThatStandsTwiceIsRefusedByItself) {
  const Slot& slot = *FindSlot("attention.msa_prefill_block_score");
  const Answer answer = RightAnswer(slot, slot.PublishedCases()[3]);
  auto* ids = reinterpret_cast<std::int32_t*>(answer.data());
  ids[answer.width() - 1] = ids[0];  // 15 of 16 are right, which the published rule accepts
  answer.ExpectFailure("cmp.index", "out_topk");
}

TEST(RunReference, RefusesAnExpertThatIsNotThere) {
  for (const char* id : {"-1", "1"}) {
    const std::string text = std::string(R"({"dtype": "float32", "inputs": {
        "w13": {"dtype": "float32", "shape": [1, 2, 1], "data": [1, 1]},
        "w2": {"dtype": "float32", "shape": [1, 1, 1], "data": [1]},
        "x": {"dtype": "float32", "shape": [1, 1], "data": [1]},
        "topk_weights": {"dtype": "float32", "shape": [1, 1], "data": [1]},
        "topk_ids": {"dtype": "int32", "shape": [1, 1], "data": [)") +
                             id + "]}}}";
    const auto outputs = RunReference(*FindSlot("moe.fused_experts"), ReadJson(text).value());
    ASSERT_FALSE(outputs.has_value());
    EXPECT_EQ(outputs.error().code.text(), "slot.value");
    EXPECT_EQ(outputs.error().where.key_path, "topk_ids");
  }
}

}  // namespace
}  // namespace cacheon::slots
