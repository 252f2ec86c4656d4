// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/eligibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace cacheon::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Eligibility Parse(std::string_view text) {
  return ParseEligibility(ReadMetadata(text).value().value).value();
}

struct Refusal {
  std::string_view metadata;
  Code code;
  std::string_view key_path;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.metadata; }

class RefusedMetadata : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedMetadata, HasCodeAndPlace) {
  const auto row = ParseEligibility(ReadMetadata(GetParam().metadata).value().value);
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().code, GetParam().code);
  EXPECT_EQ(row.error().where.key_path, GetParam().key_path);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, RefusedMetadata,
    testing::Values(Refusal{"[]", "elig.metadata_object", ""},
                    Refusal{R"({"dtypes": "bf16"})", "elig.list_type", "dtypes"},
                    Refusal{R"({"dtypes": null})", "elig.list_type", "dtypes"},
                    Refusal{R"({"quant": ["nvfp4", " "]})", "elig.list_item", "quant[1]"},
                    Refusal{R"({"architectures": [90]})", "elig.list_item", "architectures[0]"},
                    Refusal{R"({"graph_safe": 1})", "elig.graph_safe_type", "graph_safe"},
                    Refusal{R"({"max_last_dim": true})", "elig.bound", "max_last_dim"},
                    Refusal{R"({"max_num_tokens": 9223372036854775808})", "elig.bound",
                            "max_num_tokens"},
                    Refusal{R"({"min_num_tokens": 5, "max_num_tokens": 4})", "elig.bounds_inverted",
                            "min_num_tokens"}));

INSTANTIATE_TEST_SUITE_P(
    Capabilities, RefusedMetadata,
    testing::Values(Refusal{R"({"capabilities": []})", "cap.object", "capabilities"},
                    Refusal{R"({"capabilities": {"9x": 1}})", "cap.field_name", "capabilities.9x"},
                    Refusal{R"({"capabilities": {"tp": 4, "tp_size": 4}})", "cap.duplicate_field",
                            "capabilities.tp_size"},
                    Refusal{R"({"capabilities": {"sm_scale": 1}})", "cap.unknown_field",
                            "capabilities.sm_scale"},
                    Refusal{R"({"capabilities": {"head_dim": {"eq": 1}}})", "cap.predicate_keys",
                            "capabilities.head_dim.eq"},
                    Refusal{R"({"capabilities": {"head_dim": {"exact": 1, "min": 1}}})",
                            "cap.mixed", "capabilities.head_dim"},
                    Refusal{R"({"capabilities": {"head_dim": {"exact": 1, "one_of": [1]}}})",
                            "cap.exact_and_one_of", "capabilities.head_dim"},
                    Refusal{R"({"capabilities": {"head_dim": {}}})", "cap.no_predicate",
                            "capabilities.head_dim"},
                    Refusal{R"({"capabilities": {"head_dim": []}})", "cap.one_of_empty",
                            "capabilities.head_dim"},
                    Refusal{R"({"capabilities": {"head_dim": {"one_of": 4}}})", "cap.one_of_empty",
                            "capabilities.head_dim.one_of"},
                    Refusal{R"({"capabilities": {"Head-Dim": {"max": -1}}})", "cap.value",
                            "capabilities.Head-Dim.max"},
                    Refusal{R"({"capabilities": {"head_dim": null}})", "cap.value",
                            "capabilities.head_dim"},
                    Refusal{R"({"capabilities": {"head_dim": 9223372036854775808}})", "cap.value",
                            "capabilities.head_dim"},
                    Refusal{R"({"capabilities": {"phase": {"min": 1}}})", "cap.range_context",
                            "capabilities.phase"},
                    Refusal{R"({"capabilities": {"head_dim": {"min": 2, "max": 1}}})",
                            "cap.range_inverted", "capabilities.head_dim"}));

TEST(ParseEligibility, MeetsTheListsOfManifestAndMetadata) {
  const Json metadata = ReadJson(R"({"dtypes": ["fp16", "bf16"]})").value();
  const std::vector<std::string> declared = {"torch.bfloat16", "float32"};
  EXPECT_THAT(ParseEligibility(metadata, declared).value().dtypes, ElementsAre("bfloat16"));
  EXPECT_THAT(ParseEligibility(Json(), declared).value().dtypes,
              ElementsAre("bfloat16", "float32"));
}

TEST(ParseEligibility, RefusesListsThatShareNothing) {
  const Json metadata = ReadJson(R"({"architectures": ["sm_90"]})").value();
  const auto row = ParseEligibility(metadata, {}, std::vector<std::string>{"sm100"});
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().code, Code("elig.disjoint"));
  EXPECT_EQ(row.error().where.key_path, "architectures");
}

TEST(ParseEligibility, ShortFormsMeanTheSameAsLongOnes) {
  EXPECT_EQ(Parse(R"({"capabilities": {"head_dim": 64, "top_k": [8, 4, 8]}})"),
            Parse(R"({"capabilities": {"top_k": {"one_of": [4, 8]}, "head_dim": {"exact": 64}}})"));
}

TEST(ReadMetadata, RefusesWhatIsNoJson) {
  for (const std::string_view text :
       {"", "{", "{} {}", "[1NaN]", "\xef\xbb\xbf{}", "{\"a\": \xff}"}) {
    const auto metadata = ReadMetadata(text);
    ASSERT_FALSE(metadata.has_value()) << text;
    EXPECT_EQ(metadata.error().code, Code("elig.metadata_json")) << text;
  }
  EXPECT_EQ(ReadMetadata("{\n  \"a\": }").error().where.line, 2);
}

TEST(ReadMetadata, BoundsDepth) {
  EXPECT_EQ(ReadMetadata(std::string(100'000, '[')).error().code, Code("elig.metadata_json"));
}

TEST(ReadMetadata, TakesTheLastOfEqualKeysAndWarns) {
  const Metadata metadata = ReadMetadata(R"({"graph_safe": false, "graph_safe": true})").value();
  EXPECT_TRUE(ParseEligibility(metadata.value).value().graph_safe);
  ASSERT_EQ(metadata.warnings.size(), 1U);
  EXPECT_EQ(metadata.warnings[0].code, Code("elig.duplicate_key"));
  EXPECT_EQ(metadata.warnings[0].where, (Place{.line = 1, .column = 34}));
  EXPECT_EQ(metadata.warnings[0].severity, Severity::kWarning);
}

TEST(ReadMetadata, TakesNonFiniteWordsAndWarns) {
  const Metadata metadata =
      ReadMetadata(R"({"quant": [], "note \" NaN": [NaN, -Infinity , Infinity]})").value();
  ASSERT_EQ(metadata.warnings.size(), 2U);
  EXPECT_EQ(metadata.warnings[0].code, Code("elig.non_finite"));
  EXPECT_EQ(metadata.warnings[0].where, Place{});
  EXPECT_EQ(metadata.warnings[1].code, Code("elig.unknown_key"));
  EXPECT_EQ(metadata.warnings[1].where.key_path, R"("note \" NaN")");
  EXPECT_EQ(ReadMetadata(R"({"max_num_token": 1})").value().warnings[0].hint,
            "did you mean `max_num_tokens`?");
}

TEST(ReadMetadata, ANonFiniteWordIsNoBound) {
  const Json metadata = ReadMetadata(R"({"max_last_dim": Infinity})").value().value;
  EXPECT_EQ(ParseEligibility(metadata).error().code, Code("elig.bound"));
}

TEST(ReadMetadata, LeavesWordsInTextAlone) {
  EXPECT_EQ(ReadMetadata(R"({"quant": ["NaN"]})").value().value,
            ReadJson(R"({"quant": ["NaN"]})").value());
}

TEST(ProjectMetadata, KeepsOnlyWhatConstrains) {
  EXPECT_EQ(DocumentJson(ProjectMetadata(Parse(R"({"graph_safe": false, "x": 1, "dtypes": [],
                                                   "quant": ["none"], "max_last_dim": null})"))),
            R"({"quant":["dense"]})");
}

TEST(ProjectMetadata, SortsValuesByTheirText) {
  EXPECT_EQ(DocumentJson(ProjectMetadata(Parse(R"({"capabilities": {"num_tokens": [9, 10, 100, 2],
                                                   "tp": {"min": 1}}})"))),
            R"({"capabilities":{"num_tokens":{"one_of":[10,100,2,9]},"tp_size":{"min":1}}})");
}

TEST(ProjectMetadata, IsStableUnderReadingItsOwnFile) {
  const std::string once = EmitMetadata(ProjectMetadata(
      Parse(R"({"capabilities": {"model": " M3 ", "kv-len": {"max": 9}}, "graph_safe": true})")));
  EXPECT_EQ(EmitMetadata(ProjectMetadata(Parse(once))), once);
  EXPECT_TRUE(once.ends_with("}\n"));
}

}  // namespace
}  // namespace cacheon::policy
