// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exports (`aot_exports` rows): one step of a plan, with its bindings, its prelaunch fills and its
// device plan. Reading a row checks everything that the row alone decides.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/artifact/binding.h"
#include "cacheon/artifact/call_abi.h"
#include "cacheon/artifact/device_plan.h"
#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/resource_plan.h"
#include "cacheon/core/error.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"
#include "cacheon/policy/provider.h"

namespace cacheon::artifact {

// In the order in which a plan's steps must stand.
enum class Role : std::uint8_t {
  kInit,     // once per entry and set of touched resources
  kPrepare,  // once per prepared frame
  kReset,    // before the run steps of every call
  kRun,      // the call itself
  kDestroy,  // when the entry closes
};

// A predicate on a scalar of the slot. The value is a bool, an integer or a finite float, and an
// integer on a float scalar stays an integer.
struct Predicate {
  std::string source;
  Json value;

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

// Writes every logical element of `target` before the launches of its step. The value is a bool, an
// integer in [-2^63, 2^64-1], a finite float, or one of the texts -inf, +inf and nan.
struct PrelaunchFill {
  std::string target;
  Json value;
};

struct ProviderRequirement {
  std::string source;
  std::string projection;
  std::string capability;
  friend auto operator<=>(const ProviderRequirement&, const ProviderRequirement&) = default;
};

struct SpecializationRequirement {
  std::string source;
  std::string capability_field;
  friend auto operator<=>(const SpecializationRequirement&,
                          const SpecializationRequirement&) = default;
};

// The only factory of a provider that compiles `cuda_sources`.
inline constexpr std::string_view kTranslationUnitFactory = "translation_unit";

struct AotExport {
  const policy::Provider* provider = nullptr;  // of a registry, which lives for ever
  std::string name;
  std::string factory;
  std::vector<std::string> profile_inputs;  // sorted
  Role role = Role::kRun;
  std::string plan = "default";
  int step = 0;
  std::vector<Predicate> specializes;  // sorted by source
  std::vector<Binding> bindings;
  std::vector<PrelaunchFill> prelaunch;
  std::vector<ProviderRequirement> provider_requirements;              // derived, sorted
  std::vector<SpecializationRequirement> specialization_requirements;  // derived, sorted
  DevicePlan device_plan;
};

std::string_view RoleName(Role role);

// What a row is read against.
struct ExportContext {
  const CallAbi& abi;
  const ResourcePlan& resources;
  bundle::Mode mode = bundle::Mode::kStrict;  // which providers are known
};

// Reads one row. Appends every independent error, in the order in which the rules are evaluated;
// the result is complete only when none was appended. Codes `xp.*`, `bd.*`, `pl.*`, `pf.*` and
// those of device plans.
AotExport ParseExport(const Json& row, const ExportContext& context, const KeyPath& path,
                      std::vector<Error>& errors);

}  // namespace cacheon::artifact
