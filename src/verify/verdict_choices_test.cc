// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/verify/verdict_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/verify/verdict.h"

namespace cacheon::verify {
namespace {

using tensor::DType;

Json Document() {
  Verdict verdict;
  verdict.mode = "compat";
  verdict.case_list = "published";
  verdict.model = "MiniMax-M3";
  verdict.seed = 12;
  verdict.dtypes = {"float32", "bfloat16"};
  verdict.status = RunStatus::kFail;
  return VerdictToJson(verdict);
}

TEST(VerdictChoices, AreThoseOfTheRun) {
  const Result<Json::Array> documents = ReadVerdicts(DocumentJson(Document()) + "\n");
  ASSERT_TRUE(documents);
  const Result<VerdictChoices> choices = ChoicesOf(documents->at(0));
  ASSERT_TRUE(choices);
  EXPECT_EQ(choices->seed, 12U);
  EXPECT_EQ(choices->mode, bundle::Mode::kCompat);
  EXPECT_EQ(choices->cases, CaseList::kPublished);
  EXPECT_EQ(choices->model, "MiniMax-M3");
  EXPECT_THAT(choices->dtypes, testing::ElementsAre(DType::kFloat32, DType::kBFloat16));
}

TEST(VerdictChoices, HoldSeedsOf64Bits) {
  Json document = Document();
  document["seed"] = Json(UINT64_MAX);
  const Result<VerdictChoices> choices = ChoicesOf(document);
  ASSERT_TRUE(choices);
  EXPECT_EQ(choices->seed, UINT64_MAX);
}

struct Malformed {
  const char* key_path;
  std::function<void(Json&)> spoil;
};

TEST(VerdictChoices, NameTheMemberThatIsMalformed) {
  const auto option = [](const char* key, Json value) {
    return [key, value = std::move(value)](Json& document) { document["options"][key] = value; };
  };
  const std::vector<Malformed> cases = {
      {"options", [](Json& document) { document.as_object().erase("options"); }},
      {"options", [](Json& document) { document["options"] = Json::Array{}; }},
      {"seed", [](Json& document) { document.as_object().erase("seed"); }},
      {"seed", [](Json& document) { document["seed"] = "7"; }},
      {"seed", [](Json& document) { document["seed"] = -1; }},
      {"seed", [](Json& document) { document["seed"] = 1.5; }},
      {"seed", [](Json& document) { document["seed"] = Json::BigInteger{"18446744073709551616"}; }},
      {"seed", [](Json& document) { document["seed"] = Json::BigInteger{"-9223372036854775809"}; }},
      {"options.mode", option("mode", "lax")},
      {"options.mode", option("mode", nullptr)},
      {"options.cases", option("cases", Json::Array{})},
      {"options.model", option("model", 3)},
      {"options.dtypes", option("dtypes", "float32")},
      {"options.dtypes[0]", option("dtypes", Json::Array{7})},
      {"options.dtypes[1]", option("dtypes", Json::Array{"float32", "float64"})},
      {"options.dtypes[0]", option("dtypes", Json::Array{"half"})},
  };
  for (const Malformed& one : cases) {
    Json document = Document();
    one.spoil(document);
    const Result<VerdictChoices> choices = ChoicesOf(document);
    ASSERT_FALSE(choices) << DocumentJson(document);
    EXPECT_EQ(choices.error().code, Code("verdict.form"));
    EXPECT_EQ(choices.error().where.key_path, one.key_path);
  }
}

TEST(VerdictChoices, MissInNoOtherMember) {
  for (const char* key : {"mode", "cases", "model", "dtypes"}) {
    Json document = Document();
    document["options"].as_object().erase(key);
    const Result<VerdictChoices> choices = ChoicesOf(document);
    ASSERT_FALSE(choices) << key;
    EXPECT_EQ(choices.error().where.key_path, std::string("options.") + key);
  }
}

TEST(ReadVerdicts, RefusesWhatIsNoVerdict) {
  for (const char* text : {"[]", "[[]]", "null", "7", "{}", R"({"schema":"cacheon.hash.v1"})"}) {
    const Result<Json::Array> documents = ReadVerdicts(text);
    ASSERT_FALSE(documents) << text;
    EXPECT_EQ(documents.error().code, Code("verdict.schema")) << text;
    EXPECT_EQ(documents.error().where.key_path, "schema") << text;
  }
}

TEST(ReadVerdicts, RefusesAChangedDocument) {
  Json document = Document();
  document["status"] = "PASS";
  const Result<Json::Array> changed = ReadVerdicts(DocumentJson(document));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Code("verdict.digest"));
  EXPECT_EQ(changed.error().where.key_path, "digest");
  document.as_object().erase("digest");
  EXPECT_EQ(ReadVerdicts(DocumentJson(document)).error().code, Code("verdict.digest"));
}

TEST(ReadVerdicts, ReadsAListAndChecksEachOfIt) {
  const Json good = Document();
  EXPECT_EQ(ReadVerdicts(DocumentJson(Json::Array{good, good}))->size(), 2U);
  Json changed = good;
  changed["seed"] = 1;
  EXPECT_EQ(ReadVerdicts(DocumentJson(Json::Array{good, changed})).error().code,
            Code("verdict.digest"));
}

TEST(ReadVerdicts, NamesThePlaceOfMalformedJson) {
  const Result<Json::Array> documents = ReadVerdicts("{\"schema\":\n!");
  ASSERT_FALSE(documents);
  EXPECT_EQ(documents.error().code, Code("verdict.syntax"));
  EXPECT_EQ(documents.error().where.line, 2);
}

}  // namespace
}  // namespace cacheon::verify
