// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "cacheon/artifact/limits.h"
#include "src/artifact/binding_check.h"
#include "src/artifact/export_json.h"
#include "src/artifact/lifecycle.h"
#include "src/artifact/prelaunch.h"
#include "src/artifact/specialization.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

// In the order of Role.
constexpr std::string_view kRoleNames[] = {"init", "prepare", "reset", "run", "destroy"};

// Hard keywords of Python; soft ones such as `match` are identifiers.
constexpr std::string_view kPythonKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

constexpr std::size_t kMaxProviderBytes = 128;
constexpr std::size_t kMaxNameBytes = 64;

bool IsFactory(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto word = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kMaxFactoryCharacters && letter(text[0]) &&
         std::ranges::all_of(text, word) &&
         std::ranges::find(kPythonKeywords, text) == std::end(kPythonKeywords);
}

// Reads the fields of one row in the order of evaluation and keeps going after an error, so that
// every independent one is reported.
class RowReader {
 public:
  RowReader(const Json& row, const ExportContext& context, const KeyPath& path,
            std::vector<Error>& errors)
      : row_(row), context_(context), path_(path), errors_(errors) {}

  AotExport Read();

 private:
  // Keeps the error of a failed step; true when there is none.
  bool Take(Status status) {
    if (status) return true;
    errors_.push_back(std::move(status).error());
    return false;
  }

  Status ReadKeys();
  Status ReadProvider();
  Status ReadName();
  Status ReadFactory();
  Status ReadProfileInputs();
  Status ReadRole();
  Status ReadPlan();
  Status ReadStep();
  Status ReadSpecializesTable();
  Status ReadBindings();
  Status ReadPrelaunch();
  Status ReadPredicates();
  Status CheckSealedRequirements();
  Status ReadDevicePlan();

  const Json& row_;
  const ExportContext& context_;
  const KeyPath& path_;
  std::vector<Error>& errors_;
  AotExport result_;
};

Status RowReader::ReadKeys() {
  static constexpr std::string_view kRequired[] = {"provider", "name", "factory", "profile_inputs",
                                                   "bindings"};
  static constexpr std::string_view kOptional[] = {
      "device_plan", "plan",
      "prelaunch",   "provider_capability_requirements",
      "role",        "specialization_capability_requirements",
      "specializes", "step"};
  if (!row_.is_object()) {
    return Fail("xp.fields", fmt::format("an export is a table, not {}", Spell(&row_)),
                path_.where());
  }
  if (const auto problem = FindFieldProblem(row_.as_object(), kRequired, kOptional)) {
    return Fail("xp.fields", problem->message, path_.where(), problem->hint);
  }
  return {};
}

Status RowReader::ReadProvider() {
  const Json* provider = row_.Find("provider");
  if (!IsArtifactId(TextOf(provider), kMaxProviderBytes)) {
    return Fail("xp.provider_id", fmt::format("{} is no provider id", Spell(provider)),
                path_.Key("provider").where());
  }
  result_.provider = policy::FindProvider(TextOf(provider), context_.mode);
  if (result_.provider != nullptr) return {};
  std::vector<std::string_view> ids;
  for (const policy::Provider* known : policy::Providers(context_.mode)) ids.push_back(known->id);
  return Fail("xp.provider", fmt::format("there is no provider {}", Spell(provider)),
              path_.Key("provider").where(), fmt::format("providers: {}", fmt::join(ids, ", ")));
}

Status RowReader::ReadName() {
  const Json* name = row_.Find("name");
  if (!IsArtifactId(TextOf(name), kMaxNameBytes)) {
    return Fail("xp.name",
                fmt::format("{} is no export name: 1..{} characters of [a-z0-9._-], starting with "
                            "a letter or digit",
                            Spell(name), kMaxNameBytes),
                path_.Key("name").where());
  }
  result_.name = TextOf(name);
  return {};
}

Status RowReader::ReadFactory() {
  const Json* factory = row_.Find("factory");
  if (!IsFactory(TextOf(factory))) {
    return Fail("xp.factory",
                fmt::format("{} is no factory: an ASCII identifier of at most {} characters that "
                            "is no Python keyword",
                            Spell(factory), kMaxFactoryCharacters),
                path_.Key("factory").where());
  }
  result_.factory = TextOf(factory);
  const bool is_unit = result_.provider != nullptr && result_.provider->takes_cuda_sources;
  if (is_unit && result_.factory != kTranslationUnitFactory) {
    return Fail(
        "xp.factory",
        fmt::format("the factory of {} is `{}`", result_.provider->id, kTranslationUnitFactory),
        path_.Key("factory").where());
  }
  return {};
}

Status RowReader::ReadProfileInputs() {
  const Json* inputs = row_.Find("profile_inputs");
  const KeyPath path = path_.Key("profile_inputs");
  if (!inputs->is_array()) {
    return Fail("xp.profile_list", fmt::format("`profile_inputs` is a list, not {}", Spell(inputs)),
                path.where());
  }
  const Json::Array& list = inputs->as_array();
  if (list.size() > kMaxProfileInputs) {
    return Fail("xp.profile_count",
                fmt::format("at most {} profile inputs, not {}", kMaxProfileInputs, list.size()),
                path.where());
  }
  if (result_.provider == nullptr) return {};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!IndexOf(result_.provider->compile_profile_inputs, &list[i])) {
      return Fail(
          "xp.profile_key",
          fmt::format("{} is no profile input of {}", Spell(&list[i]), result_.provider->id),
          path.At(i).where());
    }
    if (!seen.insert(list[i].as_string()).second) {
      return Fail("xp.profile_dup", fmt::format("{} stands twice", Spell(&list[i])),
                  path.At(i).where());
    }
  }
  result_.profile_inputs.assign(seen.begin(), seen.end());
  return {};
}

Status RowReader::ReadRole() {
  const Json* role = row_.Find("role");
  if (role == nullptr) return {};
  const auto index = IndexOf(kRoleNames, role);
  if (!index) {
    return Fail("pl.role", fmt::format("{} is no role", Spell(role)), path_.Key("role").where(),
                fmt::format("roles: {}", JoinNames(kRoleNames)));
  }
  result_.role = static_cast<Role>(*index);
  return {};
}

Status RowReader::ReadPlan() {
  const Json* plan = row_.Find("plan");
  if (plan == nullptr) return {};
  if (!IsArtifactId(TextOf(plan), kMaxNameBytes)) {
    return Fail("xp.plan", fmt::format("{} is no plan name", Spell(plan)),
                path_.Key("plan").where());
  }
  result_.plan = TextOf(plan);
  return {};
}

Status RowReader::ReadStep() {
  const Json* step = row_.Find("step");
  if (step == nullptr) return {};
  const auto number = ExactInteger(step, 0, kMaxPlanStep);
  if (!number) {
    return Fail("xp.step",
                fmt::format("a step is an integer in 0..{}, not {}", kMaxPlanStep, Spell(step)),
                path_.Key("step").where());
  }
  result_.step = static_cast<int>(*number);
  return {};
}

Status RowReader::ReadSpecializesTable() {
  const Json* table = row_.Find("specializes");
  if (table == nullptr || table->is_object()) return {};
  return Fail("pl.spec_table", fmt::format("`specializes` is a table, not {}", Spell(table)),
              path_.Key("specializes").where());
}

Status RowReader::ReadBindings() {
  ASSIGN_OR_RETURN(result_.bindings, ParseBindings(*row_.Find("bindings"), path_.Key("bindings")));
  return {};
}

Status RowReader::ReadPrelaunch() {
  const Json* prelaunch = row_.Find("prelaunch");
  if (prelaunch == nullptr) return {};
  ASSIGN_OR_RETURN(result_.prelaunch, ParsePrelaunch(*prelaunch, path_.Key("prelaunch")));
  return {};
}

Status RowReader::ReadPredicates() {
  const Json* table = row_.Find("specializes");
  if (table == nullptr) return {};
  ASSIGN_OR_RETURN(result_.specializes,
                   ParseSpecializes(table->as_object(), context_.abi, path_.Key("specializes")));
  return {};
}

std::vector<ProviderRequirement> DeriveProviderRequirements(const AotExport& row) {
  std::set<ProviderRequirement> requirements;
  for (const Binding& binding : row.bindings) {
    const std::string_view capability = GroupCapabilityOf(binding.projection);
    if (capability.empty()) continue;
    requirements.insert(
        {binding.source, std::string(ProjectionName(binding.projection)), std::string(capability)});
  }
  return {requirements.begin(), requirements.end()};
}

std::vector<SpecializationRequirement> DeriveSpecializationRequirements(const AotExport& row,
                                                                        const CallAbi& abi) {
  std::vector<SpecializationRequirement> requirements;
  for (const Predicate& predicate : row.specializes) {
    const CallResource* resource = FindResource(abi, predicate.source);
    requirements.push_back({predicate.source, std::string(resource->capability_field)});
  }
  return requirements;
}

Status RowReader::CheckSealedRequirements() {
  result_.provider_requirements = DeriveProviderRequirements(result_);
  result_.specialization_requirements = DeriveSpecializationRequirements(result_, context_.abi);
  const Json* provider = row_.Find("provider_capability_requirements");
  if (provider != nullptr && *provider != RequirementsToJson(result_.provider_requirements)) {
    return Fail("xp.provider_req", "the list differs from what the bindings need",
                path_.Key("provider_capability_requirements").where(), "leave it out");
  }
  const Json* specialization = row_.Find("specialization_capability_requirements");
  if (specialization != nullptr &&
      *specialization != RequirementsToJson(result_.specialization_requirements)) {
    return Fail("xp.spec_req", "the list differs from what `specializes` needs",
                path_.Key("specialization_capability_requirements").where(), "leave it out");
  }
  return {};
}

Status RowReader::ReadDevicePlan() {
  const Json* plan = row_.Find("device_plan");
  if (plan == nullptr) {
    return Fail("xp.no_plan", fmt::format("{} needs a `device_plan`", result_.provider->id),
                path_.where());
  }
  ASSIGN_OR_RETURN(result_.device_plan, ParseDevicePlan(*plan, path_.Key("device_plan")));
  return {};
}

AotExport RowReader::Read() {
  if (!Take(ReadKeys())) return std::move(result_);
  const bool provider = Take(ReadProvider());
  Take(ReadName());
  Take(ReadFactory());
  Take(ReadProfileInputs());
  const bool role = Take(ReadRole());
  Take(ReadPlan());
  Take(ReadStep());
  const bool table = Take(ReadSpecializesTable());
  const bool bindings = Take(ReadBindings());
  bool checked = Take(ReadPrelaunch()) && provider && role && table && bindings;
  // What follows needs the fields above; a step that needs a failed one is left out.
  if (checked) checked = Take(CheckBindings(result_, context_, path_.Key("bindings")));
  if (checked) {
    checked = Take(CheckPrelaunch(result_.prelaunch, context_, path_.Key("prelaunch")));
  }
  if (checked) checked = Take(CheckBoundary(result_, context_, path_));
  if (checked && Take(ReadPredicates())) Take(CheckSealedRequirements());
  if (provider && Take(ReadDevicePlan()) && bindings) {
    Take(JoinDevicePlan(result_.device_plan, result_.bindings, result_.provider->capabilities,
                        path_.Key("device_plan")));
  }
  return std::move(result_);
}

}  // namespace

std::string_view RoleName(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

AotExport ParseExport(const Json& row, const ExportContext& context, const KeyPath& path,
                      std::vector<Error>& errors) {
  return RowReader(row, context, path, errors).Read();
}

}  // namespace cacheon::artifact
