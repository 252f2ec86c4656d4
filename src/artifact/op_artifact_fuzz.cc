// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Any op as JSON, {"slot","resources","exports"}: the rows are accepted, or every error has a
// place. What is accepted reads back from its canonical form to the same identity, and its
// parameters materialise on a live frame or are refused.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cacheon/artifact/identity.h"
#include "cacheon/artifact/materialize.h"
#include "cacheon/artifact/op_artifact.h"
#include "cacheon/core/result.h"

namespace {

using namespace cacheon::artifact;
using cacheon::Error;
using cacheon::Json;
using cacheon::Result;

class EchoServices final : public ParameterServices {
 public:
  Result<TmaBytes> EncodeTma(const TmaArguments& /*arguments*/) override { return TmaBytes{}; }
};

// A value of the kind that each binding has.
std::vector<LiveValue> FrameFor(const AotExport& row) {
  constexpr std::int64_t kShape[] = {5, 3, 64, 2};
  const auto stride = ContiguousStride(kShape);
  const LiveTensor tensor =
      MakeLiveTensor(0x7f0000001000, kShape, std::span(stride).first(4), 2, 0).value();
  std::vector<LiveValue> frame;
  for (const Binding& binding : row.bindings) {
    if (binding.kind == BindingKind::kTensor) {
      frame.emplace_back(tensor);
    } else if (binding.cast && ClassOf(*binding.cast) == ScalarClass::kFloat) {
      frame.emplace_back(0.125);
    } else if (binding.cast && ClassOf(*binding.cast) == ScalarClass::kBool) {
      frame.emplace_back(true);
    } else {
      frame.emplace_back(std::int64_t{1} << 40U);
    }
  }
  return frame;
}

void Materialize(const AotExport& row) {
  const std::vector<LiveValue> frame = FrameFor(row);
  EchoServices services;
  for (const LaunchPlan& launch : row.device_plan.launches) {
    for (const Parameter& parameter : launch.parameters) {
      const auto bytes = MaterializeParameter(parameter, frame, services);
      CACHEON_CHECK(!bytes || bytes->size() == static_cast<std::size_t>(parameter.size),
                    "a parameter has another size than it declares");
    }
  }
}

void ReadBack(const OpArtifact& artifact, std::string_view slot) {
  const Json plan = ResourcePlanToJson(artifact.resources);
  Json::Array sealed;
  for (const AotExport& row : artifact.exports) {
    Json json = ExportToJson(row);
    const Json launch_plan = SealedLaunchPlan(row);
    for (const auto& [key, value] : launch_plan.as_object()) json[key] = value;
    sealed.push_back(std::move(json));
  }
  const Json exports(std::move(sealed));
  std::vector<Error> errors;
  const OpArtifact again =
      ParseOpArtifact({.slot = slot, .resources = plan.Find("resources"), .exports = &exports},
                      KeyPath("op"), errors);
  CACHEON_CHECK(errors.empty(), "the canonical form of an accepted op is refused");
  CACHEON_CHECK(DirectExecutionIdentity(again) == DirectExecutionIdentity(artifact),
                "the canonical form has another identity");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Json> op = cacheon::ReadJson(text);
  if (!op || !op->is_object()) return 0;
  const Json* slot = op->Find("slot");
  if (slot == nullptr || !slot->is_string()) return 0;
  std::vector<Error> errors;
  const OpArtifact artifact = ParseOpArtifact({.slot = slot->as_string(),
                                               .resources = op->Find("resources"),
                                               .exports = op->Find("exports")},
                                              KeyPath("op"), errors);
  for (const Error& error : errors) {
    CACHEON_CHECK(error.where.key_path.starts_with("op"), "an error has no place");
  }
  if (!errors.empty() || artifact.abi == nullptr) return 0;
  for (const AotExport& row : artifact.exports) Materialize(row);
  ReadBack(artifact, slot->as_string());
  return 0;
}
