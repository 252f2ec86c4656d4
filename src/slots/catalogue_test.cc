// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What holds for every slot of the catalogue, with and without the model profile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "cacheon/slots/grading.h"
#include "src/slots/call_storage.h"

namespace cacheon::slots {
namespace {

using tensor::DType;

constexpr DType kCallDTypes[] = {DType::kFloat32, DType::kBFloat16, DType::kFloat16};
constexpr std::int64_t kSmall = std::int64_t{1} << 22;

struct Named {
  std::string id;
  std::string model;

  const Slot& slot() const { return *FindSlot(id, model); }
};

std::vector<Named> EverySlot() {
  std::vector<Named> all;
  for (const Slot* slot : Catalogue()) all.push_back({std::string(slot->contract().id), ""});
  all.push_back({"moe.fused_experts", "MiniMax-M3"});
  all.push_back({"moe.fused_experts_reduce", "MiniMax-M3-NVFP4"});
  return all;
}

std::int64_t InputElements(const CallPlan& plan) {
  std::int64_t count = 0;
  for (const auto* arguments : {&plan.prepare_arguments, &plan.arguments}) {
    for (const PlannedArgument& argument : *arguments) {
      if (const auto* planned = std::get_if<PlannedTensor>(&argument)) {
        count += tensor::SpanElements(planned->layout).value();
      }
    }
  }
  return count;
}

class EverySlotTest : public ::testing::TestWithParam<Named> {
 protected:
  // Ours and those of the published list that are small.
  std::vector<Case> SmallCases() const {
    std::vector<Case> cases;
    for (const auto& list : {slot().PublishedCases(), slot().OurCases()}) {
      for (const Case& the_case : list) {
        const auto plan = slot().Plan(the_case, DType::kFloat32, 1);
        EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
        if (plan && InputElements(*plan) <= kSmall) cases.push_back(the_case);
      }
    }
    return cases;
  }
  const Slot& slot() const { return *slot_; }

 private:
  const Slot* slot_ = &GetParam().slot();
};

// The reference's outputs in the dtypes of the call: what a perfect kernel writes.
void WriteReference(const JudgedCall& call) {
  const auto outputs = call.storage.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const tensor::TensorView& expected = call.storage.expected()[i];
    const auto count = static_cast<std::size_t>(tensor::ElementCount(expected.shape()).value());
    if (expected.dtype == DType::kInt32) {
      std::memcpy(outputs[i].data, expected.data, count * sizeof(std::int32_t));
    } else {
      tensor::NarrowFromFloat(outputs[i].dtype, {tensor::Elements<float>(expected), count},
                              outputs[i].data);
    }
  }
}

bool Passes(const Slot& slot, const JudgedCall& call, std::string& why) {
  const auto grades =
      Grade(slot, call.plan, call.storage.const_outputs(), call.storage.const_expected());
  EXPECT_TRUE(grades.has_value()) << (grades ? "" : grades.error().message);
  if (!grades) return false;
  for (const OutputGrade& grade : *grades) {
    if (grade.failure) why = grade.failure->message;
    if (!grade.passed) return false;
  }
  return true;
}

std::string Describe(const Case& the_case, DType dtype) {
  return DocumentJson(Json(Json::Object(the_case.parameters.begin(), the_case.parameters.end()))) +
         ' ' + the_case.value_profile + ' ' + std::string(tensor::Name(dtype));
}

TEST_P(EverySlotTest, RoundedReferencePassesEveryCase) {
  for (const DType dtype : kCallDTypes) {
    for (const Case& the_case : SmallCases()) {
      const Result<JudgedCall> call = MakeJudgedCall(slot(), the_case, dtype, 7);
      ASSERT_TRUE(call.has_value()) << call.error().message;
      WriteReference(*call);
      std::string why;
      EXPECT_TRUE(Passes(slot(), *call, why)) << Describe(the_case, dtype) << ": " << why;
    }
  }
}

TEST_P(EverySlotTest, ZerosAndPoisonFailEveryCaseThatHasElements) {
  for (const DType dtype : kCallDTypes) {
    for (const Case& the_case : SmallCases()) {
      Result<JudgedCall> call = MakeJudgedCall(slot(), the_case, dtype, 8);
      ASSERT_TRUE(call.has_value());
      const tensor::TensorView& out = call->storage.outputs()[0];
      if (tensor::ElementCount(out.shape()).value() == 0) continue;
      std::string why;
      EXPECT_FALSE(Passes(slot(), *call, why)) << "poison: " << Describe(the_case, dtype);
      for (const tensor::TensorView& one : call->storage.outputs()) {
        std::memset(one.data, 0,
                    static_cast<std::size_t>(tensor::SpanElements(one.layout).value()) *
                        tensor::ItemSize(one.dtype));
      }
      // Zeros are right where one block is visible and it is chosen.
      if (slot().contract().policy.metric == tensor::Metric::kTopKOverlapIndices) continue;
      EXPECT_FALSE(Passes(slot(), *call, why)) << "zeros: " << Describe(the_case, dtype);
    }
  }
}

TEST_P(EverySlotTest, PlansFollowTheContract) {
  for (const Case& the_case : slot().PublishedCases()) {
    const auto plan = slot().Plan(the_case, DType::kBFloat16, 3);
    ASSERT_TRUE(plan.has_value());
    const auto& arguments = slot().contract().arguments;
    ASSERT_EQ(plan->arguments.size(), arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto* planned = std::get_if<PlannedTensor>(&plan->arguments[i]);
      const auto* scalar = std::get_if<PlannedScalar>(&plan->arguments[i]);
      if (planned != nullptr) {
        EXPECT_EQ(planned->name, arguments[i].name);
      }
      if (scalar != nullptr) {
        EXPECT_EQ(scalar->name, arguments[i].name);
        EXPECT_EQ(scalar->type, arguments[i].scalar);
      }
    }
    EXPECT_EQ(plan->prepare_arguments.size(), slot().contract().prepare_arguments.size());
    EXPECT_EQ(plan->descriptor.at("dtype"), Json("bfloat16"));
    EXPECT_TRUE(plan->descriptor.contains("last_dim"));
  }
}

TEST_P(EverySlotTest, CasesAreDistinct) {
  std::set<std::string> seen;
  for (const auto& list : {slot().PublishedCases(), slot().OurCases()}) {
    for (const Case& the_case : list) {
      const std::string text = the_case.layout + Describe(the_case, DType::kFloat32);
      EXPECT_TRUE(seen.insert(text).second) << text;
    }
  }
}

TEST_P(EverySlotTest, HasDerivedAcceptance) {
  EXPECT_FALSE(slot().contract().acceptance.derivation.empty());
  EXPECT_FALSE(slot().contract().semantics.empty());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EverySlotTest, ::testing::ValuesIn(EverySlot()),
                         [](const auto& instance) {
                           std::string name = instance.param.id + instance.param.model;
                           for (char& c : name) c = c == '.' || c == '-' ? '_' : c;
                           return name;
                         });

TEST(Catalogue, HasElevenSlotsInOrder) {
  std::vector<std::string_view> ids;
  for (const Slot* slot : Catalogue()) ids.push_back(slot->contract().id);
  EXPECT_THAT(ids,
              ::testing::ElementsAre(
                  "activation.silu_and_mul", "norm.rmsnorm", "attention.sdpa", "attention.decode",
                  "attention.msa_block_score", "attention.msa_prefill_block_score",
                  "moe.fused_experts", "moe.fused_experts_reduce", "collective.all_reduce",
                  "collective.ar_residual_rmsnorm", "collective.moe_finalize_ar_rmsnorm"));
}

TEST(Catalogue, ProfilesSpecialiseTheExpertsOnly) {
  EXPECT_EQ(FindSlot("no.such"), nullptr);
  EXPECT_EQ(FindSlot("no.such", "MiniMax-M3"), nullptr);
  EXPECT_EQ(FindSlot("norm.rmsnorm", "MiniMax-M3"), FindSlot("norm.rmsnorm"));
  EXPECT_EQ(FindSlot("moe.fused_experts", "another"), FindSlot("moe.fused_experts"));
  const Contract& profiled = FindSlot("moe.fused_experts", "MiniMax-M3")->contract();
  EXPECT_EQ(profiled.policy.metric, tensor::Metric::kCosine);
  EXPECT_EQ(profiled.policy.min_cosine, 0.985);
  EXPECT_EQ(profiled.policy.max_rel_norm_error, 0);
  EXPECT_EQ(profiled.model, "MiniMax-M3");
}

TEST(Catalogue, RefusesWhatAContractForbids) {
  const auto place = [](std::string_view id, std::string_view model, Case the_case,
                        std::string_view code) {
    const auto plan = FindSlot(id, model)->Plan(the_case, DType::kFloat32, 1);
    EXPECT_FALSE(plan.has_value());
    if (plan) return std::string();
    EXPECT_EQ(plan.error().code.text(), code) << plan.error().message;
    return plan.error().where.key_path;
  };
  Case sdpa = FindSlot("attention.sdpa")->PublishedCases()[1];
  sdpa.parameters["num_kv_heads"] = 3;
  EXPECT_EQ(place("attention.sdpa", "", sdpa, "slot.shape"), "q");
  sdpa.parameters["num_kv_heads"] = 2;
  sdpa.parameters["num_keys"] = 4;
  EXPECT_EQ(place("attention.sdpa", "", sdpa, "slot.shape"), "k");
  Case experts = FindSlot("moe.fused_experts", "MiniMax-M3")->OurCases()[0];
  experts.parameters["hidden"] = 100;
  EXPECT_EQ(place("moe.fused_experts", "MiniMax-M3", experts, "slot.shape"), "w2_weight");
  Case ranks = FindSlot("collective.all_reduce")->PublishedCases()[0];
  ranks.parameters["world_size"] = 0;
  EXPECT_EQ(place("collective.all_reduce", "", ranks, "slot.parameter"), "parameters.world_size");
  Case prefill = FindSlot("attention.msa_prefill_block_score")->PublishedCases()[0];
  prefill.parameters["init_blocks"] = 5;
  EXPECT_EQ(place("attention.msa_prefill_block_score", "", prefill, "slot.parameter"),
            "parameters.topk");
}

}  // namespace
}  // namespace cacheon::slots
