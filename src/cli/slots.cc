// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

using slots::Argument;
using slots::Contract;
using slots::Role;
using tensor::DType;

constexpr std::array kCallDTypes = {DType::kBFloat16, DType::kFloat16, DType::kFloat32};

std::string_view ScalarName(slots::ScalarType type) {
  switch (type) {
    case slots::ScalarType::kBool:
      return "bool";
    case slots::ScalarType::kInt32:
      return "i32";
    case slots::ScalarType::kInt64:
      return "i64";
    case slots::ScalarType::kFloat64:
      return "f64";
  }
  return "";
}

std::string TypeText(const Argument& argument) {
  if (argument.scalar) return std::string(ScalarName(*argument.scalar));
  if (argument.role == Role::kPrepared || argument.role == Role::kGroup) return "object";
  if (argument.dtypes.empty()) return "call dtype";
  std::string text;
  for (const DType dtype : argument.dtypes) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", tensor::Name(dtype));
  }
  return text;
}

std::string ArgumentText(const Argument& argument) {
  std::string shape;
  const bool tensor = argument.role == Role::kInput || argument.role == Role::kOutput;
  if (tensor) shape = fmt::format("[{}]", fmt::join(argument.shape, ", "));
  std::string notes;
  if (argument.graph_dynamic) notes += " fresh content between graph replays;";
  if (argument.padded_rows) notes += " rows may be padded;";
  return fmt::format("  {:16} {:9} {:24} {:24}{}{}{}\n", argument.name,
                     slots::RoleName(argument.role), shape, TypeText(argument), argument.meaning,
                     notes.empty() || argument.meaning.empty() ? "" : ";", notes);
}

std::string PolicyText(const Contract& contract) {
  const tensor::ComparePolicy& policy = contract.policy;
  std::string text(tensor::MetricName(policy.metric));
  switch (policy.metric) {
    case tensor::Metric::kAllClose:
      return text + ", every element";
    case tensor::Metric::kMatchedRatio:
      return text + fmt::format(", at least {:g} of the elements", policy.min_ratio);
    case tensor::Metric::kCosine:
      return text + fmt::format(" of at least {:g}", policy.min_cosine);
    case tensor::Metric::kTopKOverlapScores:
    case tensor::Metric::kTopKOverlapIndices:
      break;
  }
  return text + fmt::format(" of at least {:g}", policy.min_overlap);
}

std::string NamesOf(const std::vector<Argument>& arguments) {
  std::string names;
  for (const Argument& argument : arguments) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", argument.name);
  }
  return names;
}

std::string Signature(const Contract& contract) {
  std::string text;
  if (contract.has_prepare()) {
    text = fmt::format("  prepare({})\n", NamesOf(contract.prepare_arguments));
  }
  return text + fmt::format("  {}({})\n", contract.entry, NamesOf(contract.arguments));
}

std::string CaseText(const slots::Case& one) {
  std::string text;
  for (const auto& [name, value] : one.parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, DocumentJson(value));
  }
  return text;
}

std::string ContractText(const slots::Slot& slot) {
  const Contract& contract = slot.contract();
  std::string text = fmt::format("{} ({})\n\nsignature\n{}\narguments, in order\n", contract.id,
                                 slots::KindName(contract.kind), Signature(contract));
  for (const Argument& argument : contract.arguments) text += ArgumentText(argument);
  text +=
      fmt::format("\nsemantics\n  {}\n\ngrading\n  {}\n", contract.semantics, PolicyText(contract));
  for (const DType dtype : kCallDTypes) {
    const slots::Tolerance tolerance = slots::ToleranceFor(dtype);
    text += fmt::format("  {:9} |actual - expected| <= {:g} + {:g} |expected|\n",
                        tensor::Name(dtype), tolerance.atol, tolerance.rtol);
  }
  for (const std::string_view model : contract.unavailable_in) {
    text += fmt::format("\nnot available in the arena {}: it never calls this slot\n", model);
  }
  text += "\npublished cases (counts are jittered by the seed)\n";
  for (const slots::Case& one : slot.PublishedCases()) text += "  " + CaseText(one) + "\n";
  text += fmt::format("and {} cases of ours for layouts, sizes and values that those leave out\n",
                      slot.OurCases().size());
  return text;
}

Json ArgumentJson(const Argument& argument) {
  Json shape;
  for (const std::string_view dimension : argument.shape) shape.Append(dimension);
  Json dtypes = Json::Array{};
  for (const DType dtype : argument.dtypes) dtypes.Append(tensor::Name(dtype));
  return Json::Object{{"name", argument.name},
                      {"role", slots::RoleName(argument.role)},
                      {"shape", std::move(shape)},
                      {"dtypes", std::move(dtypes)},
                      {"scalar", argument.scalar ? Json(ScalarName(*argument.scalar)) : Json()},
                      {"graph_dynamic", argument.graph_dynamic},
                      {"padded_rows", argument.padded_rows},
                      {"meaning", argument.meaning}};
}

Json CasesJson(const std::vector<slots::Case>& cases) {
  Json list = Json::Array{};
  for (const slots::Case& one : cases) {
    list.Append(
        Json::Object{{"parameters", Json::Object(one.parameters.begin(), one.parameters.end())},
                     {"layout", one.layout},
                     {"value_profile", one.value_profile}});
  }
  return list;
}

Json ContractJson(const slots::Slot& slot) {
  const Contract& contract = slot.contract();
  Json arguments = Json::Array{};
  for (const Argument& argument : contract.arguments) arguments.Append(ArgumentJson(argument));
  Json prepare = Json::Array{};
  for (const Argument& argument : contract.prepare_arguments) prepare.Append(argument.name);
  Json tolerances;
  for (const DType dtype : kCallDTypes) {
    const slots::Tolerance tolerance = slots::ToleranceFor(dtype);
    tolerances[tensor::Name(dtype)] =
        Json::Object{{"atol", tolerance.atol}, {"rtol", tolerance.rtol}};
  }
  Json unavailable = Json::Array{};
  for (const std::string_view model : contract.unavailable_in) unavailable.Append(model);
  return Json::Object{{"slot", contract.id},
                      {"kind", slots::KindName(contract.kind)},
                      {"entry", contract.entry},
                      {"prepare", std::move(prepare)},
                      {"arguments", std::move(arguments)},
                      {"semantics", contract.semantics},
                      {"comparator", tensor::MetricName(contract.policy.metric)},
                      {"tolerances", std::move(tolerances)},
                      {"unavailable_in", std::move(unavailable)},
                      {"published_cases", CasesJson(slot.PublishedCases())},
                      {"our_cases", CasesJson(slot.OurCases())}};
}

// The first sentence, cut to what fits beside the other columns.
std::string_view Summary(std::string_view semantics) {
  constexpr std::size_t kWidth = 96;
  semantics = semantics.substr(0, semantics.find(". "));
  return semantics.size() <= kWidth ? semantics : semantics.substr(0, semantics.rfind(' ', kWidth));
}

std::string ListText() {
  std::string text;
  for (const slots::Slot* slot : slots::Catalogue()) {
    const Contract& contract = slot->contract();
    text += fmt::format("{:38} {:11} {}\n", contract.id, slots::KindName(contract.kind),
                        Summary(contract.semantics));
  }
  return text;
}

Result<std::vector<const slots::Slot*>> Chosen(const std::string& name) {
  const auto all = slots::Catalogue();
  if (name.empty()) return std::vector(all.begin(), all.end());
  if (const slots::Slot* slot = slots::FindSlot(name)) return std::vector{slot};
  std::string known;
  for (const slots::Slot* slot : all) known += fmt::format("\n{}", slot->contract().id);
  return Fail("usage.unknown_slot", fmt::format("no slot is called `{}`", name), {},
              "the slots are:" + known);
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string name = arguments.Positional(0);
  ASSIGN_OR_RETURN(const std::vector<const slots::Slot*> chosen, Chosen(name));
  if (arguments.Has("--json")) {
    Json list = Json::Array{};
    for (const slots::Slot* slot : chosen) list.Append(ContractJson(*slot));
    RETURN_IF_ERROR(WriteDocument(
        arguments, "--json",
        PrettyJson(Json::Object{{"schema", "cacheon.slots.v1"}, {"slots", std::move(list)}})));
  } else {
    RETURN_IF_ERROR(Print(name.empty() ? ListText() : ContractText(*chosen.front())));
  }
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kSlots = {.name = "slots",
                     .summary = "the slot catalogue, or one slot's whole contract",
                     .positionals = {{"NAME", "a slot; none lists them all", 0, 1}},
                     .flags = {kJsonFlag},
                     .run = Run};

}  // namespace cacheon::cli
