// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a candidate written to a temporary bundle, its worker, and tensors for it.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/tensor/layout.h"
#include "cacheon/worker.h"

namespace cacheon::worker {

inline constexpr std::chrono::seconds kLimit{20};

// A folder that is removed with its content.
class TestFolder {
 public:
  TestFolder() {
    std::string name = std::filesystem::temp_directory_path() / "cacheon-test-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
  }

 private:
  std::string path_;
};

inline TensorMemory MakeTensor(std::string name, std::vector<std::int64_t> shape,
                               tensor::DType dtype = tensor::DType::kFloat32,
                               GuardSide side = GuardSide::kAfter) {
  auto layout = tensor::DenseLayout(std::move(shape));
  auto memory = TensorMemory::Create(std::move(name), dtype, std::move(*layout), 0, side);
  EXPECT_TRUE(memory);
  return std::move(*memory);
}

// Tests of candidates need an interpreter with torch; without one they are skipped with the reason.
class CandidateTest : public testing::Test {
 protected:
  void SetUp() override {
    auto interpreter = FindInterpreter("");
    if (!interpreter) GTEST_SKIP() << FormatError(interpreter.error());
    options_.interpreter = *interpreter;
    options_.bundle_root = bundle_.path();
  }

  // Starts a worker with this candidate; its load may fail.
  Outcome Load(const std::string& source, const std::string& prepare = "") {
    bundle_.Write("kernel.py", source);
    auto worker = Worker::Start(options_);
    if (!worker) {
      ADD_FAILURE() << FormatError(worker.error());
      return {.ending = Ending::kInfrastructure, .error = worker.error()};
    }
    worker_ = std::move(*worker);
    return worker_->Load("kernel.py", "entry", prepare, kLimit);
  }

  // Loads and calls `entry(x, out)`.
  Outcome Run(const std::string& source, std::chrono::milliseconds limit = kLimit) {
    if (Outcome loaded = Load(source); !loaded.done()) return loaded;
    return CallAgain(limit);
  }

  Outcome CallAgain(std::chrono::milliseconds limit = kLimit) {
    const std::vector<CallArgument> arguments = {TensorArgument{&input_, false},
                                                 TensorArgument{&output_, true}};
    return worker_->Call(arguments, limit);
  }

  TestFolder bundle_;
  WorkerOptions options_;
  TensorMemory input_ = MakeTensor("x", {4, 8});
  TensorMemory output_ = MakeTensor("out", {4, 8});
  std::unique_ptr<Worker> worker_;
};

inline std::string CodeOf(const Outcome& outcome) {
  return outcome.error ? std::string(outcome.error->code.text()) : "";
}

}  // namespace cacheon::worker
