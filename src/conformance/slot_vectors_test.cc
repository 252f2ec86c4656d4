// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The golden vectors of the slots, and that their runner notices what is wrong.

#include <gtest/gtest.h>

#include <string>

#include "cacheon/conformance.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::conformance {
namespace {

constexpr const char* kFiles[] = {"slots/attention_decode.json",
                                  "slots/attention_sdpa.json",
                                  "slots/collective_all_reduce.json",
                                  "slots/collective_ar_residual_rmsnorm.json",
                                  "slots/collective_moe_finalize.json",
                                  "slots/moe_fused_experts.json",
                                  "slots/msa_block_score.json",
                                  "slots/msa_prefill_block_score.json",
                                  "slots/rmsnorm.json",
                                  "slots/silu_and_mul.json"};

Json Vectors(const std::string& path) {
  const std::string file = std::string(CACHEON_SOURCE_DIR "/tests/data/vectors/") + path;
  return ReadJson(ReadFile(file, 1U << 20U).value()).value();
}

std::vector<CaseResult> ResultsOf(const char* path, const Json& document) {
  return FindFileKind(path)->run(document).value();
}

TEST(SlotVectors, AgreeInEveryCase) {
  for (const char* path : kFiles) {
    const Json document = Vectors(path);
    const std::vector<CaseResult> results = ResultsOf(path, document);
    EXPECT_EQ(results.size(), document.Find("cases")->as_array().size());
    for (const CaseResult& result : results) {
      EXPECT_EQ(result.agreement, Agreement::kAgree) << path << ": " << result.name << ": expected "
                                                     << result.expected << ", got " << result.got;
    }
  }
}

// Moves the first number of a list by more than any tolerance.
void MoveFirst(Json& list) {
  if (!list.is_array() || list.as_array().empty()) return;
  Json& first = list.as_array().front();
  if (first.is_array()) return MoveFirst(first);
  first = first.is_int64() ? Json(first.as_int64() + 1)
                           : Json(first.is_float() ? first.as_double() + 1 : 0.5);
}

TEST(SlotVectors, DifferWhenOneRecordedNumberIsWrong) {
  for (const char* path : kFiles) {
    Json document = Vectors(path);
    for (Json& the_case : document["cases"].as_array()) {
      for (auto& [field, value] : the_case.as_object()) {
        if (field.ends_with("_f64") || field == "out_topk_canonical") MoveFirst(value["data"]);
      }
    }
    for (const CaseResult& result : ResultsOf(path, document)) {
      EXPECT_EQ(result.agreement, Agreement::kDiffer) << path << ": " << result.name;
      EXPECT_NE(result.expected, result.got);
    }
  }
}

TEST(SlotVectors, DifferWhenARecordedChoiceIsWrong) {
  Json document = Vectors("slots/msa_block_score.json");
  for (Json& the_case : document["cases"].as_array()) MoveFirst(the_case["top_k_sets"]);
  for (const CaseResult& result : ResultsOf("slots/msa_block_score.json", document)) {
    EXPECT_EQ(result.agreement, Agreement::kDiffer) << result.name;
  }
}

TEST(SlotVectors, DifferWhenARanksPartialIsWrong) {
  Json document = Vectors("slots/collective_moe_finalize.json");
  for (Json& the_case : document["cases"].as_array()) {
    MoveFirst(the_case["ranks"].as_array().back()["partial_f64"]["data"]);
  }
  for (const CaseResult& result : ResultsOf("slots/collective_moe_finalize.json", document)) {
    EXPECT_EQ(result.agreement, Agreement::kDiffer) << result.name;
  }
}

}  // namespace
}  // namespace cacheon::conformance
