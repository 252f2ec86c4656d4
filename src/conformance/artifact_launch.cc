// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/launch.json: launch geometry, attributes and parameter buffers.

#include "cacheon/artifact/launch.h"
#include "cacheon/artifact/materialize.h"
#include "cacheon/artifact/scalar_pack.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Result<Json> ReadSpec(const Json& the_case) {
  ASSIGN_OR_RETURN(const artifact::LaunchSpec spec,
                   artifact::ParseLaunchSpec(FieldOf(the_case, "spec"), artifact::KeyPath("spec")));
  return artifact::LaunchSpecToJson(spec);
}

CaseResult Spec(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), FieldOf(the_case, "canonical"), ReadSpec(the_case));
}

Result<std::vector<std::byte>> OpaqueBytes(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// A live value of a plain JSON number or bool.
Result<artifact::LiveValue> LiveOf(const Json& value) {
  if (value.is_bool()) return artifact::LiveValue(value.as_bool());
  if (value.is_float()) return artifact::LiveValue(value.as_float());
  return ReadLiveValue(Json::Object{{"kind", "int"}, {"value", value}});
}

Result<std::vector<std::byte>> PlainBytes(const Json& parameter) {
  const std::string& type = TextOf(parameter, "t");
  const Json& value = FieldOf(parameter, "v");
  if (type == "opaque") return OpaqueBytes(value.is_string() ? value.as_string() : "");
  ASSIGN_OR_RETURN(const artifact::LiveValue live, LiveOf(value));
  if (type == "pointer") {
    ASSIGN_OR_RETURN(const std::uint64_t address, artifact::PointerAt(std::span(&live, 1), 0));
    const auto bytes = std::as_bytes(std::span(&address, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }
  const auto scalar = artifact::FindScalarType(type);
  const auto width = scalar ? artifact::ParameterWidth(*scalar) : std::nullopt;
  if (!width) return Fail("conformance.form", "no parameter type: " + type);
  artifact::TypedScalar plain = false;
  if (const auto* flag = std::get_if<bool>(&live)) plain = *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&live)) plain = *integer;
  if (const auto* wide = std::get_if<std::uint64_t>(&live)) plain = *wide;
  if (const auto* number = std::get_if<double>(&live)) plain = *number;
  std::vector<std::byte> bytes(static_cast<std::size_t>(*width));
  RETURN_IF_ERROR(artifact::PackScalar(*scalar, plain, bytes));
  return bytes;
}

Result<Json> Pack(const Json& the_case) {
  std::vector<artifact::ParameterSlot> slots;
  for (const Json& slot : ItemsOf(the_case, "layout")) {
    const Json& offset = FieldOf(slot, "offset");
    const Json& size = FieldOf(slot, "size");
    if (!offset.is_int64() || !size.is_int64()) return Fail("conformance.form", "no layout");
    slots.push_back({static_cast<std::uint32_t>(offset.as_int64()),
                     static_cast<std::uint32_t>(size.as_int64())});
  }
  std::vector<std::vector<std::byte>> values;
  for (const Json& parameter : ItemsOf(the_case, "parameters")) {
    ASSIGN_OR_RETURN(std::vector<std::byte> bytes, PlainBytes(parameter));
    values.push_back(std::move(bytes));
  }
  ASSIGN_OR_RETURN(const std::vector<std::byte> buffer,
                   artifact::PackParameterBuffer(slots, values));
  return Json(HexOf(buffer));
}

CaseResult Buffer(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), FieldOf(the_case, "hex"), Pack(the_case));
}

}  // namespace

Cases RunLaunch(const Json& document) {
  return RunLists(document, {{"specs", Spec}, {"parameter_buffers", Buffer}});
}

}  // namespace cacheon::conformance
