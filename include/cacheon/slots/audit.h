// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The audit of a slot's cases: kernels that are known to be right or wrong are graded on every
// case, in this process and without a worker, to show that the cases can tell them apart. Kernels
// here are trusted native functions of ours, never candidates.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"
#include "cacheon/slots/slot.h"
#include "cacheon/tensor/view.h"

namespace cacheon::slots {

// Reads the inputs (those of prepare first) and writes the outputs in the dtypes of the call.
using NativeKernel =
    std::function<void(const CallPlan& plan, std::span<const tensor::ConstTensorView> inputs,
                       std::span<const tensor::TensorView> outputs)>;

enum class Expectation : std::uint8_t {
  kSurvives,      // an honest variant: passes every case
  kKilled,        // a mutant: at least one case of every call dtype fails it
  kKilledAlways,  // a trivial kernel: every case fails it
};

struct Subject {
  std::string_view name;
  std::string_view fault;  // what is wrong with it, or how an honest variant differs
  Expectation expectation = Expectation::kKilled;
  NativeKernel run;
  // Cases at which a trivial kernel is right by the contract.
  std::function<bool(const CallPlan& plan)> exempt = {};
};

struct Kill {
  tensor::DType dtype = tensor::DType::kFloat32;
  std::size_t case_index = 0;  // over PublishedCases, then OurCases
  std::string code;            // of the failure
};

struct SubjectAudit {
  std::string_view name;
  bool as_expected = false;
  std::int64_t runs = 0;
  std::vector<Kill> kills;
  std::vector<Kill> unexpected;  // honest: kills; trivial: cases that let it pass, without a code
};

struct AuditOptions {
  std::uint64_t seed = 1;
  // Cases with more input elements are left out.
  std::int64_t max_elements = std::int64_t{1} << 20;
  // Runs a mutant on the cases after its first kill as well.
  bool full = false;
};

// Grades every subject on the slot's cases in float32, bfloat16 and float16.
Result<std::vector<SubjectAudit>> AuditSubjects(const Slot& slot, std::span<const Subject> subjects,
                                                const AuditOptions& options = {});

// The trivial kernels that every slot must kill: nothing written, zeros, and the first row of the
// right answer in every row.
std::vector<Subject> TrivialKernels(const Slot& slot);

// The floating inputs, floats and bools that no case notices: changing one alone leaves every
// reference within the slot's acceptance. Factors of a choice are exempt, since only the order of
// scores counts there. Empty when the cases are good.
Result<std::vector<std::string>> InsensitiveArguments(const Slot& slot,
                                                      const AuditOptions& options = {});

}  // namespace cacheon::slots
