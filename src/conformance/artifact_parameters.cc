// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/parameters.json: packing of scalars, reading and materialising parameters.

#include "cacheon/artifact/materialize.h"
#include "cacheon/artifact/parameter.h"
#include "cacheon/artifact/scalar_pack.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

using artifact::GroupProjection;

// Resolves groups as the case says; tensor maps need a driver, which vectors do not have.
class CaseServices final : public artifact::ParameterServices {
 public:
  explicit CaseServices(const Json& resolvers) : resolvers_(resolvers) {}

  Result<artifact::TmaBytes> EncodeTma(const artifact::TmaArguments& /*arguments*/) override {
    return Fail("conformance.form", "a case needs a driver");
  }
  Result<std::uint64_t> ResolveGroup(GroupProjection projection,
                                     const artifact::LiveValue& group) override {
    const Json* number = resolvers_.Find(artifact::GroupProjectionName(projection));
    if (number == nullptr) return ParameterServices::ResolveGroup(projection, group);
    ASSIGN_OR_RETURN(const artifact::TypedScalar handle,
                     ReadTypedScalar(Json::Object{{"type", "int"}, {"value", *number}}));
    if (const auto* wide = std::get_if<std::uint64_t>(&handle)) return *wide;
    return static_cast<std::uint64_t>(std::get<std::int64_t>(handle));
  }

 private:
  const Json& resolvers_;
};

Result<artifact::Parameter> Parse(const Json& the_case) {
  return artifact::ParseParameter(FieldOf(the_case, "parameter"), artifact::KeyPath("parameter"));
}

Result<Json> Canonical(const Json& the_case) {
  ASSIGN_OR_RETURN(const artifact::Parameter parameter, Parse(the_case));
  return artifact::ParameterToJson(parameter);
}

CaseResult Schema(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), FieldOf(the_case, "canonical"), Canonical(the_case));
}

Result<Json> Pack(const Json& the_case) {
  const auto type = artifact::FindScalarType(TextOf(the_case, "scalar_type"));
  const auto width = type ? artifact::ParameterWidth(*type) : std::nullopt;
  if (!width) return Fail("conformance.form", "no parameter type");
  const Json& value = FieldOf(the_case, "value");
  const Result<artifact::TypedScalar> scalar = ReadTypedScalar(value);
  if (!scalar && TextOf(value, "type") == "int") {
    return Fail("ln.scalar_range", "an integer beyond 64 bits fits no parameter");
  }
  if (!scalar) return Fail(scalar.error());
  std::vector<std::byte> bytes(static_cast<std::size_t>(*width));
  RETURN_IF_ERROR(artifact::PackScalar(*type, *scalar, bytes));
  return Json(HexOf(bytes));
}

CaseResult ScalarPack(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), FieldOf(the_case, "hex"), Pack(the_case));
}

Result<Json> Materialize(const Json& the_case, const Json& frame) {
  ASSIGN_OR_RETURN(const artifact::Parameter parameter, Parse(the_case));
  ASSIGN_OR_RETURN(const std::vector<artifact::LiveValue> live, ReadLiveFrame(frame));
  CaseServices services(FieldOf(the_case, "resolvers"));
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                   artifact::MaterializeParameter(parameter, live, services));
  return Json(HexOf(bytes));
}

}  // namespace

Cases RunParameters(const Json& document) {
  const Json& frame = FieldOf(document, "frame");
  const auto materialize = [&](const Json& the_case, std::string name) {
    return CompareOk(the_case, std::move(name), FieldOf(the_case, "hex"),
                     Materialize(the_case, frame));
  };
  return RunLists(document,
                  {{"scalar_pack", ScalarPack}, {"materialize", materialize}, {"schema", Schema}});
}

}  // namespace cacheon::conformance
