// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The parser child on hostile input, and the pre-pass before it.

#include "src/policy/python_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "src/policy/scan_test_bundle.h"

namespace cacheon::policy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kInterpreter = "/usr/bin/python3";

std::string Repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::vector<std::string> Scan(const std::string& source,
                              bundle::Mode mode = bundle::Mode::kStrict) {
  return Briefs(ScanTestBundle(MakeTestBundle({{"k.py", source}}), mode));
}

struct StrangeInput {
  const char* name;
  std::string source;
  const char* finding;  // "code line:column", or nullptr when it is plain Python
};

class StrangeSource : public ::testing::TestWithParam<StrangeInput> {};

TEST_P(StrangeSource, GetsACodeAndNeverACrash) {
  for (const bundle::Mode mode : {bundle::Mode::kStrict, bundle::Mode::kCompat}) {
    const std::vector<std::string> findings = Scan(GetParam().source, mode);
    if (GetParam().finding == nullptr) {
      EXPECT_THAT(findings, IsEmpty());
    } else {
      EXPECT_THAT(findings, ElementsAre(GetParam().finding));
    }
  }
}

const StrangeInput kStrange[] = {
    {"Empty", "", nullptr},
    {"Nul", std::string("x = 1\n\0", 7), "tree.encoding 2:1"},
    {"Latin1", "x = '\xE4'", "tree.py_unreadable 0:0"},
    {"SurrogateBytes", "x = '\xED\xA0\x80'", "tree.py_unreadable 0:0"},
    {"SurrogateEscape", "x = '\\ud800'", nullptr},
    {"UnaryChain", "x = " + Repeat("-", 100'000) + "1", "py.parse_limit 1:2005"},
    {"AttributeChain", "x = a" + Repeat(".b", 50'000), "py.parse_limit 1:4005"},
    {"Brackets", "x = " + Repeat("(", 5'000) + Repeat(")", 5'000), "py.parse_limit 1:96"},
    {"NotChain", "x = " + Repeat("not ", 5'000) + "1", "py.parse_limit 1:8004"},
    {"TooManyTokens", Repeat("x = 1\n", 80'000), "py.parse_limit 66667:6"},
    {"TooLong", "#" + std::string(1U << 20U, 'a'), "py.parse_limit 0:0"},
    {"ManyNames", "x = [" + Repeat("1,", 90'000) + "]", nullptr},
    {"OpenString", "x = '''" + std::string(1'000, 'a'), "py.syntax 1:5"},
    {"Indentation", Repeat("if 1:\n", 1) + " x\n\tx", "py.syntax 3:1"},
    {"OnlyBackslash", "\\", "py.syntax 1:2"},
    {"LongLine", "x = 1 #" + std::string(900'000, ' '), nullptr},
};
INSTANTIATE_TEST_SUITE_P(Inputs, StrangeSource, ::testing::ValuesIn(kStrange),
                         [](const auto& input) { return input.param.name; });

TEST(PrePass, ReportsWhatHidesInText) {
  EXPECT_THAT(Scan("\xEF\xBB\xBFx = 1\n"), Contains("tree.encoding 1:1"));
  EXPECT_THAT(Scan("x = 1\ry = 2\n"), Contains("tree.encoding 1:6"));
  EXPECT_THAT(Scan("x = '\xE2\x80\xAE'\n"), Contains("tree.encoding 1:6"));
  EXPECT_THAT(Scan("x = '\xE2\x80\x8B'\n"), Contains("tree.encoding 1:6"));
  EXPECT_THAT(Scan("x = 1\r\ny = 2\r\n"), IsEmpty());
}

TEST(PythonParser, ServesManyFilesAndCountsElifAsDepth) {
  PythonParser parser(kInterpreter);
  const std::string deep = "if 1: pass\n" + Repeat("elif 1: pass\n", 30'000);
  for (int i = 0; i < 3; ++i) {
    const auto bad = parser.Parse(SourceText("k.py", deep));
    ASSERT_TRUE(bad) << FormatError(bad.error());
    EXPECT_EQ(bad->status, PythonParseStatus::kLimit);
    const auto good = parser.Parse(SourceText("k.py", "x = 1\n"));
    ASSERT_TRUE(good) << FormatError(good.error());
    EXPECT_EQ(good->status, PythonParseStatus::kOk);
  }
  EXPECT_GE(parser.version(), 11);
}

TEST(PythonParser, SaysWhenThereIsNoInterpreter) {
  PythonParser parser("/missing/python3");
  const auto parse = parser.Parse(SourceText("k.py", ""));
  ASSERT_FALSE(parse);
  EXPECT_EQ(parse.error().code, Code("scan.parser_unavailable"));
}

TEST(PythonParser, SaysWhenTheInterpreterIsNone) {
  PythonParser parser("/bin/true");
  const auto parse = parser.Parse(SourceText("k.py", ""));
  ASSERT_FALSE(parse);
  EXPECT_EQ(parse.error().code, Code("scan.parser_unavailable"));
  EXPECT_EQ(parse.error().where.file, "/bin/true");
}

// An interpreter that greets well and then misbehaves, as one would after a bug in its parser.
std::string FakeInterpreter(const std::string& name, const std::string& afterwards) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream(path) << "#!/usr/bin/python3 -IS\n"
                         "import posix\n"
                         "def send(b): posix.write(1, len(b).to_bytes(4, 'little') + b)\n"
                         "send(b'{\"status\":\"ready\",\"version\":[3,11]}')\n"
                         "posix.read(0, 4)\n"
                      << afterwards << "\n";
  ::chmod(path.c_str(), 0755);
  return path;
}

TEST(PythonParser, BlamesTheFileThatEndsItsParser) {
  for (const char* afterwards :
       {"posix._exit(0)", "posix.kill(posix.getpid(), 11)", "send(b'[]')",
        "posix.write(1, b'\\xff\\xff\\xff\\xff')", "x = [0] * (1 << 28)"}) {
    PythonParser parser(FakeInterpreter("fake_parser", afterwards));
    const auto parse = parser.Parse(SourceText("k.py", "x = 1\n"));
    ASSERT_TRUE(parse) << afterwards << FormatError(parse.error());
    EXPECT_EQ(parse->status, PythonParseStatus::kLimit) << afterwards;
  }
}

TEST(PythonParser, EndsAChildThatRunsTooLong) {
  PythonParser parser(FakeInterpreter("slow_parser", "while True: pass"));
  const auto parse = parser.Parse(SourceText("k.py", "x = 1\n"));
  ASSERT_TRUE(parse);
  EXPECT_EQ(parse->status, PythonParseStatus::kLimit);
}

// Each act would end the child with status 0 and so without an answer; the answer says that it
// failed.
TEST(PythonParser, TakesTheRightsOfItsChild) {
  for (const char* act :
       {"posix.fork()", "posix.open('/tmp/cacheon_scan_test', 0o102)",
        "posix.kill(posix.getppid(), 0)", "posix.setuid(0)",
        "posix.mkdir('/tmp/cacheon_scan_test')", "posix.pipe()", "__import__('_socket').socket()",
        "posix.unlink('/tmp/cacheon_scan_test')"}) {
    PythonParser parser(FakeInterpreter(
        "curious_parser",
        std::string("try: ") + act +
            "\nexcept OSError: send(b'{\"status\":\"limit\",\"message\":\"refused\"}')"));
    const auto parse = parser.Parse(SourceText("k.py", "x = 1\n"));
    ASSERT_TRUE(parse);
    EXPECT_EQ(parse->message, "refused") << act;
  }
}

}  // namespace
}  // namespace cacheon::policy
