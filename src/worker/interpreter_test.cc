// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/worker/interpreter.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "src/worker/candidate_fixture_test.h"

namespace cacheon::worker {
namespace {

namespace fs = std::filesystem;

// A folder that looks like the prefix of a Python, and a PATH that leads to it alone.
class FindInterpreterTest : public testing::Test {
 protected:
  FindInterpreterTest() {
    saved_path_ = getenv("PATH");
    setenv("PATH", (prefix_.path() + "/bin").c_str(), 1);
    fs::create_directories(prefix_.path() + "/bin");
  }
  ~FindInterpreterTest() override { setenv("PATH", saved_path_.c_str(), 1); }

  std::string AddPython(const std::string& content =
                            "\x7f"
                            "ELF") {
    const std::string program = prefix_.path() + "/bin/python3.12";
    std::ofstream(program) << content;
    fs::permissions(program, fs::perms::owner_all);
    const std::string link = prefix_.path() + "/bin/python3";
    fs::create_symlink("python3.12", link);
    return link;
  }

  void AddTorch(const std::string& version_file) {
    const std::string torch = prefix_.path() + "/lib/python3.12/site-packages/torch";
    fs::create_directories(torch);
    std::ofstream(torch + "/__init__.py") << "";
    std::ofstream(torch + "/version.py") << version_file;
  }

  TestFolder prefix_;
  std::string saved_path_;
};

TEST_F(FindInterpreterTest, TakesThePythonOfThePathThatHasTorch) {
  const std::string python = AddPython();
  AddTorch("from typing import Optional\n__version__ = '2.11.0+cpu'\n");
  const auto found = FindInterpreter("");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, python);
  EXPECT_EQ(found->version, "3.12");
  EXPECT_EQ(found->torch_version, "2.11.0+cpu");
}

TEST_F(FindInterpreterTest, VersionThatCannotBeReadIsUnknown) {
  AddPython();
  AddTorch("");
  EXPECT_EQ(FindInterpreter("")->torch_version, "unknown");
}

TEST_F(FindInterpreterTest, RequestedPythonIsTakenOrRefused) {
  const std::string python = AddPython();
  const auto refused = FindInterpreter(python);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code.text(), "env.torch_missing");
  EXPECT_EQ(refused.error().where.file, python);
  AddTorch("__version__ = '2.0'\n");
  EXPECT_EQ(FindInterpreter(python)->path, python);
}

TEST_F(FindInterpreterTest, RequestedNameIsLookedUpOnThePath) {
  const std::string python = AddPython();
  AddTorch("__version__ = '2.0'\n");
  EXPECT_EQ(FindInterpreter("python3")->path, python);
}

TEST_F(FindInterpreterTest, RequestedProgramThatIsNotThereIsNamed) {
  const auto refused = FindInterpreter("/no/such/python");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code.text(), "env.python_missing");
  EXPECT_EQ(refused.error().where.file, "/no/such/python");
}

TEST_F(FindInterpreterTest, PythonWithoutTorchOnThePathIsPassedOver) {
  const std::string python = AddPython();
  const auto found = FindInterpreter("");
  EXPECT_NE(found ? found->path : found.error().where.file, python);
}

TEST_F(FindInterpreterTest, LauncherScriptOnThePathIsPassedOver) {
  const std::string script = AddPython("#!/bin/sh\n");
  AddTorch("__version__ = '2.0'\n");
  const auto found = FindInterpreter("");
  EXPECT_NE(found ? found->path : found.error().where.file, script);
}

TEST_F(FindInterpreterTest, VirtualEnvironmentUsesThePackagesOfItsOwn) {
  AddPython();
  const TestFolder environment;
  fs::create_directories(environment.path() + "/bin");
  fs::create_directories(environment.path() + "/lib/python3.12/site-packages/torch");
  environment.Write("lib/python3.12/site-packages/torch/__init__.py", "");
  environment.Write("lib/python3.12/site-packages/torch/version.py", "__version__ = '2.5'\n");
  environment.Write("pyvenv.cfg", "home = " + prefix_.path() + "/bin\n");
  fs::create_symlink(prefix_.path() + "/bin/python3.12", environment.path() + "/bin/python3");
  EXPECT_EQ(FindInterpreter(environment.path() + "/bin/python3")->torch_version, "2.5");
}

}  // namespace
}  // namespace cacheon::worker
