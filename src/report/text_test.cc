// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/report/verdict_for_test.h"

namespace cacheon::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(VerdictText, LeadsFromTheRowToTheElement) {
  EXPECT_EQ(VerdictText(VerdictDocument(), {}),
            "[FAIL] norm.rmsnorm variant=fast graph=not-verified cases=2/3\n"
            "  FAIL dtype=float32 num_tokens=8 layout=padded  max_abs=2.500e-01 max_rel=inf "
            "ratio=0.5000\n"
            "       cmp.ratio: out[2, 5]: 50 % are off\n"
            "           a hint\n"
            "  N/A  dtype=float32 num_tokens=9 layout=padded  (num_tokens: above 8)\n"
            "  ok   1 cases, at worst max_abs=2.500e-01 max_rel=inf\n"
            "isolation: best; missing here: landlock\n"
            "bundle: mine 00ff\n"
            "seed: 7\n"
            "verdict: FAIL\n");
}

TEST(VerdictText, ShowsEveryCaseWhenAsked) {
  EXPECT_THAT(VerdictText(VerdictDocument(), {.every_case = true}),
              HasSubstr("  ok   dtype=float32 num_tokens=4 layout=padded  max_abs"));
}

TEST(VerdictText, CountsWhatItDoesNotShow) {
  Json document = VerdictDocument();
  for (int i = 0; i < 5; ++i) {
    RowOf(document)["cases"].Append(CaseObject("FAIL", i, {ErrorObject("cmp.ratio", "off")}));
  }
  EXPECT_THAT(VerdictText(document, {}), HasSubstr("  and 3 more cases (3 cmp.ratio); --verbose"));
}

TEST(VerdictText, PaintsTheStatusAlone) {
  EXPECT_THAT(VerdictText(VerdictDocument(), {.colour = true}),
              HasSubstr("verdict: \x1b[31mFAIL\x1b[0m\n"));
  EXPECT_THAT(VerdictText(VerdictDocument(), {}), Not(HasSubstr("\x1b")));
}

TEST(VerdictText, LeavesTheTerminalAlone) {
  Json document = VerdictDocument();
  document["status"] = kHostileText;
  document["bundle"]["bundle_id"] = kHostileText;
  document["environment"]["isolation"]["level"] = kHostileText;
  RowOf(document)["slot"] = kHostileText;
  RowOf(document)["status"] = kHostileText;
  RowOf(document)["graph"] = kHostileText;
  Json& failed = CaseOf(document, 1);
  failed["status"] = kHostileText;
  failed["layout"] = "\x1b\n";
  failed["errors"].as_array().at(0)["message"] = kHostileText;
  for (const bool every_case : {false, true}) {
    const std::string text = VerdictText(document, {.every_case = every_case});
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\xFF")));
  }
}

}  // namespace
}  // namespace cacheon::report
