// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The golden vectors of the repository, and that the runners notice what is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cacheon/conformance.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::conformance {
namespace {

constexpr const char* kVectors = CACHEON_SOURCE_DIR "/tests/data/vectors";

TEST(GoldenVectors, DifferInNoCaseAndNoCode) {
  const std::vector<FileResult> files = RunDirectory(kVectors).value();
  for (const FileResult& file : files) {
    if (FindFileKind(file.path) == nullptr) continue;
    EXPECT_EQ(file.problem, "") << file.path;
    for (const CaseResult& result : file.cases) {
      EXPECT_NE(result.agreement, Agreement::kDiffer)
          << file.path << ": " << result.name << "\nexpected " << result.expected << "\ngot "
          << result.got;
      EXPECT_TRUE(CodesAgree(result.expected_code, result.got_code))
          << file.path << ": " << result.name << ": expected " << result.expected_code << ", got "
          << result.got_code;
    }
  }
}

// Turns every recorded verdict and value around that it can: accept into reject, true into false.
void Falsify(Json& value) {
  if (value.is_bool()) value = Json(!value.as_bool());
  if (value == Json("accept")) {
    value = Json("reject");
  } else if (value == Json("reject")) {
    value = Json("accept");
  }
  if (value.is_array()) {
    for (Json& item : value.as_array()) Falsify(item);
  }
  if (value.is_object()) {
    for (auto& [key, member] : value.as_object()) {
      if (key == "expect" || key == "accepted" || key == "overlap") Falsify(member);
      if (member.is_array()) Falsify(member);
    }
  }
}

TEST(GoldenVectors, DifferWhenARecordedVerdictIsFalse) {
  for (const char* path : {"bundle/canonical_json.json", "bundle/routing.json"}) {
    const std::string text = ReadFile(std::string(kVectors) + "/" + path, 1U << 20U).value();
    Json document = ReadJson(text).value();
    Falsify(document);
    const auto results = FindFileKind(path)->run(document).value();
    EXPECT_GT(std::ranges::count(results, Agreement::kDiffer, &CaseResult::agreement),
              static_cast<std::ptrdiff_t>(results.size() / 2))
        << path;
  }
}

TEST(GoldenVectors, AnEmptyDocumentDoesNotAgree) {
  const auto results =
      FindFileKind("bundle/target_catalog.json")->run(Json(Json::Object{})).value();
  for (const CaseResult& result : results) EXPECT_EQ(result.agreement, Agreement::kDiffer);
  for (const FileKind& kind : FileKinds()) {
    const auto refused = kind.run(Json(Json::Array{}));
    ASSERT_FALSE(refused.has_value()) << kind.path;
    EXPECT_EQ(refused.error().code, Code("conformance.form")) << kind.path;
  }
}

}  // namespace
}  // namespace cacheon::conformance
