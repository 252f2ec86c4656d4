// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A worker inside the test: it maps what it is granted by its descriptor, as the real one does, and
// runs a C++ function where the real one runs Python.

#include <sys/mman.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cacheon/worker/worker.h"

namespace cacheon::verify {

// A granted tensor as the candidate sees it: the whole file, with the elements somewhere inside.
struct FakeTensor {
  std::string name;
  std::span<std::byte> file;
  std::size_t element_begin = 0;
  tensor::Layout layout;

  float* row(std::int64_t i) const {
    return reinterpret_cast<float*>(file.data() + element_begin) + i * layout.strides[0];
  }
  std::int64_t rows() const { return layout.shape[0]; }
  std::int64_t columns() const { return layout.shape[1]; }
};

struct FakeCall {
  int number = 0;  // from 0
  std::vector<FakeTensor> tensors;
};

class FakeWorker final : public worker::Worker {
 public:
  using Entry = std::function<worker::Outcome(const FakeCall&)>;

  explicit FakeWorker(Entry entry) : entry_(std::move(entry)) {}
  FakeWorker(const FakeWorker&) = delete;  // owns mappings
  FakeWorker& operator=(const FakeWorker&) = delete;
  ~FakeWorker() override {
    for (const auto& [id, file] : files_) munmap(file.data(), file.size());
  }

  // What the other commands do; the default is that they succeed.
  std::function<worker::Outcome()> on_load = [] { return worker::Outcome{}; };
  std::function<worker::Outcome()> on_prepare = [] { return worker::Outcome{}; };
  std::function<worker::Outcome()> on_revoke = [] { return worker::Outcome{}; };
  std::function<worker::Outcome()> on_stop = [] { return worker::Outcome{}; };

  int calls() const { return calls_; }
  int stops() const { return stops_; }
  std::size_t grants() const { return files_.size(); }

  const worker::IsolationReport& isolation() const override { return isolation_; }
  worker::Outcome Load(const std::string&, const std::string&, const std::string&,
                       std::chrono::milliseconds) override {
    return Ended(on_load);
  }
  worker::Outcome Prepare(std::span<const worker::CallArgument> arguments,
                          std::chrono::milliseconds) override {
    for (const worker::CallArgument& argument : arguments) {
      if (const auto* tensor = std::get_if<worker::TensorArgument>(&argument)) Map(*tensor);
    }
    return Ended(on_prepare);
  }
  worker::Outcome Call(std::span<const worker::CallArgument> arguments,
                       std::chrono::milliseconds) override {
    FakeCall call{.number = calls_++, .tensors = {}};
    for (const worker::CallArgument& argument : arguments) {
      const auto* tensor = std::get_if<worker::TensorArgument>(&argument);
      if (tensor == nullptr) continue;
      call.tensors.push_back({.name = tensor->memory->name(),
                              .file = Map(*tensor),
                              .element_begin = tensor->memory->element_begin_byte(),
                              .layout = tensor->memory->layout()});
    }
    return Ended([&] { return entry_(call); });
  }
  worker::Outcome Revoke(const worker::TensorMemory& memory, std::chrono::milliseconds) override {
    const worker::Outcome outcome = Ended(on_revoke);
    if (const auto found = files_.find(memory.id()); found != files_.end()) {
      munmap(found->second.data(), found->second.size());
      files_.erase(found);
    }
    return outcome;
  }
  worker::Outcome Stop(std::chrono::milliseconds) override {
    ++stops_;
    return Ended(on_stop);
  }
  std::string torch_version() const override { return "fake"; }
  std::string captured_stdout() const override { return ""; }
  std::string captured_stderr() const override { return ""; }

 private:
  template <typename Act>
  worker::Outcome Ended(const Act& act) {
    if (final_) return *final_;
    worker::Outcome outcome = act();
    if (!outcome.done() && outcome.ending != worker::Ending::kRaised) final_ = outcome;
    return outcome;
  }

  std::span<std::byte> Map(const worker::TensorArgument& argument) {
    const worker::TensorMemory& memory = *argument.memory;
    if (const auto found = files_.find(memory.id()); found != files_.end()) return found->second;
    const std::size_t size = memory.bytes().size();
    const int fd = argument.writable ? memory.writable_fd() : memory.read_only_fd();
    const int protection = argument.writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void* start = mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
    CACHEON_CHECK(start != MAP_FAILED, "the fake worker cannot map a tensor");
    return files_[memory.id()] = {static_cast<std::byte*>(start), size};
  }

  Entry entry_;
  worker::IsolationReport isolation_;
  std::map<std::uint64_t, std::span<std::byte>> files_;
  std::optional<worker::Outcome> final_;
  int calls_ = 0;
  int stops_ = 0;
};

// An outcome that failed.
inline worker::Outcome EndedWith(worker::Ending ending, Code code) {
  return {.ending = ending, .error = Fail(code, "the fake worker ended").error()};
}

// The right activation.silu_and_mul in float32, for rows [0, rows).
inline void SiluAndMulRows(const FakeCall& call, std::int64_t rows) {
  const FakeTensor& x = call.tensors.at(0);
  const FakeTensor& out = call.tensors.at(1);
  const std::int64_t d = out.columns();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < d; ++j) {
      const double gate = x.row(i)[j];
      out.row(i)[j] = static_cast<float>(gate / (1 + std::exp(-gate)) * x.row(i)[d + j]);
    }
  }
}

inline worker::Outcome RightSiluAndMul(const FakeCall& call) {
  SiluAndMulRows(call, call.tensors.at(1).rows());
  return {};
}

}  // namespace cacheon::verify
