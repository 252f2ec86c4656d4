// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/report/verdict_for_test.h"

namespace cacheon::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Page(const Json& document) { return HtmlPage({&document, 1}); }

TEST(HtmlPage, ShowsTheVerdictAndWhatItIsAbout) {
  const std::string page = Page(VerdictDocument());
  EXPECT_THAT(page, HasSubstr("<h1><span class=\"status bad\">FAIL</span> mine</h1>"));
  EXPECT_THAT(page, HasSubstr("<th>content hash</th><td><code>00ff</code>"));
  EXPECT_THAT(page, HasSubstr("<th>seed</th><td><code>7</code>"));
  EXPECT_THAT(page, HasSubstr("<th>missing layers</th><td><code>landlock</code>"));
}

TEST(HtmlPage, ShowsFailedCasesAndFoldsThoseThatPassed) {
  const std::string page = Page(VerdictDocument());
  EXPECT_THAT(page, HasSubstr("<code>cmp.ratio</code> at out[2, 5]: 50 % are off"));
  EXPECT_THAT(page, HasSubstr("<code>out[2, 5]</code> expected 1.5, got nan"));
  EXPECT_THAT(page, HasSubstr("<span class=\"bad\">comparison</span>"));
  EXPECT_THAT(page, HasSubstr("num_tokens: above 8"));
  EXPECT_THAT(page, HasSubstr("<details><summary>1 cases passed</summary>"));
}

TEST(HtmlPage, FetchesNothing) {
  const std::string page = Page(VerdictDocument());
  for (const char* word : {"http:", "https:", "<script", "<link", "<img", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(word)));
  }
}

TEST(HtmlPage, EscapesWhatTheBundleChose) {
  Json document = VerdictDocument();
  document["bundle"]["bundle_id"] = kHostileText;
  document["status"] = kHostileText;
  RowOf(document)["slot"] = kHostileText;
  RowOf(document)["entry"] = kHostileText;
  Json& failed = CaseOf(document, 1);
  failed["parameters"][kHostileText] = kHostileText;
  failed["mismatch"] = kHostileText;
  failed["checks"][kHostileText] = "failed";
  failed["errors"].as_array().at(0)["where"]["key_path"] = kHostileText;
  failed["outputs"].as_array().at(0)["name"] = kHostileText;
  failed["outputs"].as_array().at(0)["worst"]["index"] = Json::Array{kHostileText};
  const std::string page = Page(document);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("\xFF")));
}

}  // namespace
}  // namespace cacheon::report
