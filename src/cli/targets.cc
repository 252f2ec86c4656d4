// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "cacheon/policy/target_catalog.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

using policy::CompositionRule;
using policy::Target;
using policy::TargetCatalog;

constexpr int kShortDigest = 12;

Json NamesJson(std::span<const std::string_view> names) {
  Json list = Json::Array{};
  for (const std::string_view name : names) list.Append(name);
  return list;
}

Json TargetJson(const Target& target) {
  return Json::Object{{"id", target.id},
                      {"kind", policy::TargetKindName(target.kind)},
                      {"members", NamesJson(target.members)},
                      {"displaces", NamesJson(target.displaces)},
                      {"compatible_with", NamesJson(target.compatible_with)},
                      {"required_targets", NamesJson(target.required_targets)},
                      {"allowed_features", NamesJson(target.allowed_features)},
                      {"spec_digest", target.spec_digest},
                      {"contract_digest", target.contract_digest}};
}

Json RuleJson(const CompositionRule& rule) {
  return Json::Object{{"id", rule.id},
                      {"target_ids", NamesJson(rule.target_ids)},
                      {"precedence", NamesJson(rule.precedence)},
                      {"mode", rule.mode},
                      {"binding_family_id", rule.binding_family_id},
                      {"binding_contract_digest", rule.binding_contract_digest}};
}

Json CatalogJson(std::span<const Target* const> targets) {
  const TargetCatalog& catalog = TargetCatalog::Published();
  Json list = Json::Array{};
  for (const Target* target : targets) list.Append(TargetJson(*target));
  Json rules = Json::Array{};
  for (const CompositionRule& rule : catalog.composition_rules()) rules.Append(RuleJson(rule));
  return Json::Object{{"schema", "cacheon.targets.v1"},
                      {"policy_version", TargetCatalog::kPolicyVersion},
                      {"digest", catalog.digest()},
                      {"targets", std::move(list)},
                      {"composition_rules", std::move(rules)}};
}

std::string ListText(std::span<const Target* const> targets) {
  std::string text;
  for (const Target* target : targets) {
    text += fmt::format("{:50} {:7} {:.{}}\n", target->id, policy::TargetKindName(target->kind),
                        target->spec_digest, kShortDigest);
  }
  return text + fmt::format("\n{} {}\n", TargetCatalog::kPolicyVersion,
                            TargetCatalog::Published().digest());
}

std::string ListLine(std::string_view name, std::span<const std::string_view> values) {
  return fmt::format("  {:17} {}\n", name,
                     values.empty() ? "none" : fmt::format("{}", fmt::join(values, ", ")));
}

std::string TargetText(const Target& target) {
  std::string text = fmt::format("{} ({})\n", target.id, policy::TargetKindName(target.kind));
  text += ListLine("members", target.members);
  text += ListLine("displaces", target.displaces);
  text += ListLine("composes with", target.compatible_with);
  text += ListLine("requires", target.required_targets);
  text += ListLine("admits", target.allowed_features);
  text += fmt::format("  {:17} {}\n", "spec digest", target.spec_digest);
  return text + fmt::format("  {:17} {}\n", "contract digest", target.contract_digest);
}

Result<std::vector<const Target*>> Chosen(const std::string& name) {
  const TargetCatalog& catalog = TargetCatalog::Published();
  std::vector<const Target*> all;
  for (const Target& target : catalog.targets()) all.push_back(&target);
  if (name.empty()) return all;
  if (const Target* target = catalog.Find(name)) return std::vector{target};
  std::string known;
  for (const Target* target : all) known += fmt::format("\n{}", target->id);
  return Fail("usage.unknown_target", fmt::format("no target is called `{}`", name), {},
              "the targets are:" + known);
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string name = arguments.Positional(0);
  ASSIGN_OR_RETURN(const std::vector<const Target*> chosen, Chosen(name));
  if (arguments.Has("--json")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(CatalogJson(chosen))));
  } else {
    RETURN_IF_ERROR(Print(name.empty() ? ListText(chosen) : TargetText(*chosen.front())));
  }
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kTargets = {.name = "targets",
                       .summary = "what a bundle can compete for, with digests",
                       .positionals = {{"NAME", "a target; none lists them all", 0, 1}},
                       .flags = {kJsonFlag},
                       .run = Run};

}  // namespace cacheon::cli
