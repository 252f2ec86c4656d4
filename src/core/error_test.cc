// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/error.h"

#include <gtest/gtest.h>

#include "cacheon/core/code.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon {
namespace {

Error Example() {
  return Fail("json.syntax", "not valid JSON here",
              {.file = "meta.json", .line = 2, .column = 7, .key_path = "ops[2].axis"},
              "remove the comma")
      .error();
}

TEST(FormatError, IsCodePlaceSentenceAndIndentedHint) {
  EXPECT_EQ(FormatError(Example()),
            "json.syntax: meta.json:2:7: ops[2].axis: not valid JSON here\n    remove the comma");
}

TEST(FormatError, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(FormatError({.code = "io.open", .message = "cannot open"}), "io.open: cannot open");
}

TEST(FormatError, NamesTheContextInnermostFirst) {
  const Error error =
      Error{.code = "io.open", .message = "cannot open"}.While("reading a").While("scanning b");
  EXPECT_EQ(FormatError(error), "io.open: while reading a: while scanning b: cannot open");
}

// File names and messages may be the candidate's own words.
TEST(FormatError, CannotBeMadeToPrintLinesOrTerminalCommands) {
  const Error error{.code = "io.open",
                    .message = "no \x1b[2J",
                    .where = {.file = "a\nPASS: b\xff", .key_path = "k\r"},
                    .context = {"c\n"}};
  EXPECT_EQ(FormatError(error), "io.open: a\\x0aPASS: b\\xff: k\\x0d: while c\\x0a: no \\x1b[2J");
}

TEST(FormatPlace, WritesTheKnownParts) {
  EXPECT_EQ(FormatPlace({}), "");
  EXPECT_EQ(FormatPlace({.line = 3}), "line 3");
  EXPECT_EQ(FormatPlace({.line = 3, .column = 4}), "line 3:4");
  EXPECT_EQ(FormatPlace({.file = "f"}), "f");
  EXPECT_EQ(FormatPlace({.file = "f", .column = 4}), "f");
  EXPECT_EQ(FormatPlace({.file = "f", .key_path = "k"}), "f: k");
  EXPECT_EQ(FormatPlace({.key_path = "k"}), "k");
}

TEST(ErrorToJson, HasTheDocumentedMembers) {
  EXPECT_EQ(DocumentJson(ErrorToJson(Example())),
            R"({"code":"json.syntax","hint":"remove the comma","message":"not valid JSON here",)"
            R"("severity":"error","where":{"column":7,"file":"meta.json","key_path":"ops[2].axis",)"
            R"("line":2}})");
}

TEST(ErrorToJson, WritesUnknownPlacesAsNullAndSymbolsOfFindings) {
  const Error error = Error{.code = "io.open", .message = "m", .symbol = "os.system"}.While("w");
  EXPECT_EQ(DocumentJson(ErrorToJson(error)),
            R"-({"code":"io.open","hint":"","message":"m (while w)","severity":"error",)-"
            R"-("symbol":"os.system","where":{"column":null,"file":null,"key_path":null,)-"
            R"-("line":null}})-");
}

TEST(Error, KeepsTheInnermostFile) {
  EXPECT_EQ(Example().InFile("outer.toml").where.file, "meta.json");
  EXPECT_EQ((Error{.code = "io.open", .message = "m"}.InFile("outer.toml").where.file),
            "outer.toml");
}

TEST(Error, BuildersReplacePlaceAndHint) {
  const Error error = Example().At({.file = "b"}).Hint("other");
  EXPECT_EQ(error.where, Place{.file = "b"});
  EXPECT_EQ(error.hint, "other");
}

TEST(StatusOf, FollowsTheFaultOfThePage) {
  const auto status = [](Code code) { return StatusOf({.code = code, .message = "m"}); };
  EXPECT_EQ(status("json.syntax"), ExitStatus::kRefused);
  EXPECT_EQ(status("io.open"), ExitStatus::kUsage);
  EXPECT_EQ(status("io.write"), ExitStatus::kEnvironment);
  EXPECT_EQ(status("internal.check"), ExitStatus::kInternal);
}

TEST(StatusOf, CountsACodeWithoutAPageAsOurFault) {
  EXPECT_EQ(StatusOf({.code = "no.page", .message = "m"}), ExitStatus::kInternal);
}

TEST(Combine, TakesTheHighest) {
  EXPECT_EQ(Combine(ExitStatus::kAccepted, ExitStatus::kRefused), ExitStatus::kRefused);
  EXPECT_EQ(Combine(ExitStatus::kInternal, ExitStatus::kEnvironment), ExitStatus::kInternal);
  EXPECT_EQ(Combine(ExitStatus::kEnvironment, ExitStatus::kRefused), ExitStatus::kEnvironment);
}

TEST(SeverityName, IsTheWordOfTheDocuments) {
  EXPECT_EQ(SeverityName(Severity::kError), "error");
  EXPECT_EQ(SeverityName(Severity::kWarning), "warning");
  EXPECT_EQ(SeverityName(Severity::kNote), "note");
}

TEST(FaultName, IsTheWordOfThePages) {
  EXPECT_EQ(FaultName(Fault::kCandidate), "candidate");
  EXPECT_EQ(FaultName(Fault::kUsage), "usage");
  EXPECT_EQ(FaultName(Fault::kEnvironment), "environment");
  EXPECT_EQ(FaultName(Fault::kInternal), "internal");
}

}  // namespace
}  // namespace cacheon
