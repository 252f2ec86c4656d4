// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The golden vectors of comparators and codec, and that their runners notice what is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cacheon/conformance.h"
#include "cacheon/core/unique_fd.h"
#include "src/conformance/case_tensors.h"

namespace cacheon::conformance {
namespace {

Json Vectors(std::string_view path) {
  const std::string file = std::string(CACHEON_SOURCE_DIR "/tests/data/vectors/").append(path);
  return ReadJson(ReadFile(file, 1U << 20U).value()).value();
}

std::vector<CaseResult> RunKind(std::string_view path, const Json& document) {
  return FindFileKind(path)->run(document).value();
}

TEST(TensorVectors, AgreeInEveryCase) {
  for (const char* path : {"slots/comparators.json", "slots/nvfp4.json"}) {
    const Json document = Vectors(path);
    const std::vector<CaseResult> results = RunKind(path, document);
    EXPECT_EQ(results.size(), document.Find("cases")->as_array().size());
    for (const CaseResult& result : results) {
      EXPECT_NE(result.agreement, Agreement::kDiffer)
          << result.name << ": expected " << result.expected << ", got " << result.got;
    }
  }
}

TEST(TensorVectors, TheForwardOfALayerIsCompared) {
  for (const CaseResult& result : RunKind("slots/nvfp4.json", Vectors("slots/nvfp4.json"))) {
    EXPECT_EQ(result.agreement, Agreement::kAgree) << result.name << ": " << result.got;
  }
}

// Changes every recorded verdict and number by more than any tolerance.
void Falsify(Json& value) {
  if (value.is_bool()) {
    value = Json(!value.as_bool());
  } else if (value.is_int64()) {
    value = Json(value.as_int64() + 1);
  } else if (value.is_number()) {
    value = Json(value.as_double() + 1);
  } else if (value.is_array()) {
    for (Json& item : value.as_array()) Falsify(item);
  } else if (value.is_object()) {
    for (auto& [key, member] : value.as_object()) Falsify(member);
  }
}

TEST(TensorVectors, DifferWhenAnyRecordedFieldIsFalse) {
  const Json document = Vectors("slots/comparators.json");
  for (const Json& the_case : document.Find("cases")->as_array()) {
    for (const auto& [field, recorded] : the_case.Find("result")->as_object()) {
      if (recorded.is_string()) continue;
      Json changed = the_case;
      Falsify(changed["result"][field]);
      const auto results = RunKind("slots/comparators.json",
                                   Json(Json::Object{{"cases", Json::Array{std::move(changed)}}}));
      EXPECT_EQ(results[0].agreement, Agreement::kDiffer) << results[0].name << " " << field;
    }
  }
}

TEST(TensorVectors, DifferWhenARecordedNumberOfTheCodecIsFalse) {
  const Json document = Vectors("slots/nvfp4.json");
  constexpr const char* kRecorded[] = {"values",
                                       "bytes",
                                       "padded",
                                       "points",
                                       "packed",
                                       "block_scale_e4m3",
                                       "dequant_f64",
                                       "w13_dequant_row0_f64",
                                       "w2_dequant_row0_f64",
                                       "interleaved_row_source"};
  int changes = 0;
  for (const Json& the_case : document.Find("cases")->as_array()) {
    for (const char* field : kRecorded) {
      if (the_case.Find(field) == nullptr) continue;
      Json changed = the_case;
      Falsify(changed[field]);
      const auto results = RunKind("slots/nvfp4.json",
                                   Json(Json::Object{{"cases", Json::Array{std::move(changed)}}}));
      EXPECT_EQ(results[0].agreement, Agreement::kDiffer) << results[0].name << " " << field;
      ++changes;
    }
  }
  EXPECT_GE(changes, 13);
}

TEST(TensorVectors, ACaseWithoutContentDiffers) {
  const Json document = ReadJson(R"({"cases": [
      {"name": "quantize_and_dequantize_x", "mode": "allclose"}, {"name": "nvfp4_layer_x", "mode": "cosine"},
      {"name": "e2m1_table", "mode": "topk_overlap_indices"}, {"name": "w13_interleave_x"},
      {"name": "unknown"}]})")
                            .value();
  for (const char* path : {"slots/comparators.json", "slots/nvfp4.json"}) {
    for (const CaseResult& result : RunKind(path, document)) {
      EXPECT_EQ(result.agreement, Agreement::kDiffer) << path << " " << result.name;
    }
  }
}

TEST(TensorVectors, AFileWithoutCasesIsRefused) {
  for (const char* path : {"slots/comparators.json", "slots/nvfp4.json"}) {
    const auto refused = FindFileKind(path)->run(Json(Json::Object{}));
    ASSERT_FALSE(refused.has_value()) << path;
    EXPECT_EQ(refused.error().code, Code("conformance.form"));
    EXPECT_EQ(refused.error().where.key_path, "cases");
  }
}

TEST(FirstDifference, SeesLengthNanAndTheSignOfZero) {
  const auto difference = [](std::vector<double> expected, std::vector<double> got,
                             double tolerance) {
    return FirstDifference(expected, got, tolerance);
  };
  EXPECT_EQ(difference({1, NAN}, {1, NAN}, 0), -1);
  EXPECT_EQ(difference({1, NAN}, {1, 2}, 1), 1);
  EXPECT_EQ(difference({0.0}, {-0.0}, 0), 0);
  EXPECT_EQ(difference({100}, {100.5}, 0.01), -1);
  EXPECT_EQ(difference({1, 2}, {1}, 0.01), 1);
  EXPECT_EQ(difference({INFINITY}, {1}, 0.01), 0);
}

}  // namespace
}  // namespace cacheon::conformance
