// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "cacheon/policy/coverage.h"
#include "cacheon/policy/declare.h"
#include "cacheon/policy/live_fields.h"
#include "cacheon/policy/rebuild_plan.h"
#include "cacheon/policy/routing.h"
#include "src/cli/bundle_arguments.h"
#include "src/cli/error_list.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

using policy::Constraint;
using policy::Domain;

struct RowDomain {
  std::string slot;
  std::string variant;
  Domain domain;
};

struct SlotGap {
  std::string slot;
  policy::CoverageGap gap;
};

// Everything that is said about one bundle.
struct Answer {
  std::string bundle_id = {};
  std::optional<policy::Resolution> resolution = {};
  bool admitted = false;
  std::vector<RowDomain> rows = {};
  std::vector<SlotGap> gaps = {};
  std::vector<Error> errors = {};
};

// Takes the value out of a result, or its error into the answer.
template <typename T>
std::optional<T> Take(Result<T> result, Answer& answer) {
  if (result) return std::move(*result);
  answer.errors.push_back(std::move(result.error()));
  return std::nullopt;
}

void Resolve(const std::string& root, const bundle::Manifest& manifest, bundle::Mode mode,
             std::string_view model, Answer& answer) {
  const policy::Declaration declaration = policy::Declare(manifest);
  answer.resolution = Take(policy::InspectResolution(declaration, mode), answer);
  const auto plan = Take(policy::ReadRebuildPlan(root, mode), answer);
  if (!answer.resolution || !plan) return;
  auto admitted = Take(policy::AdmitBundle(declaration, plan->Features(), mode), answer);
  answer.admitted = admitted.has_value();
  if (admitted) answer.resolution = std::move(admitted);
  if (mode == bundle::Mode::kCompat) return;
  std::ranges::move(policy::ResolutionWarnings(declaration, *answer.resolution, model),
                    std::back_inserter(answer.errors));
}

// Conditions of the metadata stand in its file; lists may come from the row as well.
void WarnOfReach(const bundle::Manifest& manifest, const bundle::OpRow& row,
                 const policy::Eligibility& eligibility, Answer& answer) {
  for (Error& warning : policy::ReachabilityWarnings(row.slot, eligibility)) {
    if (row.metadata && warning.where.key_path.starts_with("capabilities")) {
      warning.where.file = row.metadata->resolved;
    } else {
      warning.where = manifest.places->OfValue(row.key_path);
    }
    answer.errors.push_back(std::move(warning));
  }
}

// Reads the domain of each row and what the rows of a slot leave open between them.
void ReadDomains(const std::string& root, const bundle::Manifest& manifest, bundle::Mode mode,
                 Answer& answer) {
  policy::RouteRegistry registry;
  std::map<std::string, std::vector<Domain>> by_slot;
  for (const bundle::OpRow& row : manifest.ops) {
    auto read = Take(policy::ReadEligibility(root, manifest, row, mode), answer);
    if (!read) continue;
    std::ranges::move(read->warnings, std::back_inserter(answer.errors));
    const Domain domain = Domain::Of(read->eligibility);
    answer.rows.push_back({.slot = row.slot, .variant = row.variant, .domain = domain});
    if (mode == bundle::Mode::kStrict) WarnOfReach(manifest, row, read->eligibility, answer);
    const Status registered = registry.Register({.slot = row.slot,
                                                 .variant = row.variant,
                                                 .eligibility = std::move(read->eligibility),
                                                 .where = manifest.places->OfValue(row.key_path)});
    if (!registered) answer.errors.push_back(registered.error());
    if (registered) by_slot[row.slot].push_back(domain);
  }
  for (const auto& [slot, domains] : by_slot) {
    if (domains.size() < 2) continue;
    for (policy::CoverageGap& gap : policy::FindCoverageGaps(domains)) {
      answer.gaps.push_back({.slot = slot, .gap = std::move(gap)});
    }
  }
}

Json BoundJson(std::int64_t value, std::int64_t open) {
  return value == open ? Json() : Json(value);
}

Json ConstraintJson(const Constraint& constraint) {
  Json allowed;
  if (constraint.allowed) {
    allowed = Json::Array{};
    for (const policy::Scalar& value : *constraint.allowed) {
      allowed.Append(policy::ScalarToJson(value));
    }
  }
  return Json::Object{{"field", constraint.field},
                      {"required", constraint.required},
                      {"allowed", std::move(allowed)},
                      {"min", BoundJson(constraint.min, std::numeric_limits<std::int64_t>::min())},
                      {"max", BoundJson(constraint.max, std::numeric_limits<std::int64_t>::max())},
                      {"excludes_cuda_graph", constraint.excludes_cuda_graph}};
}

Json RowJson(const RowDomain& row) {
  Json domain = Json::Array{};
  for (const Constraint& constraint : row.domain.constraints()) {
    domain.Append(ConstraintJson(constraint));
  }
  const std::optional<policy::CallDescriptor> witness = row.domain.Witness();
  return Json::Object{{"slot", row.slot},
                      {"variant", row.variant},
                      {"domain", std::move(domain)},
                      {"example", witness ? witness->ToJson() : Json()}};
}

Json AnswerJson(const Answer& answer, bundle::Mode mode, const std::string& model) {
  Json rows = Json::Array{};
  for (const RowDomain& row : answer.rows) rows.Append(RowJson(row));
  Json gaps = Json::Array{};
  for (const SlotGap& gap : answer.gaps) {
    gaps.Append(Json::Object{
        {"slot", gap.slot}, {"text", gap.gap.Text()}, {"example", gap.gap.example.ToJson()}});
  }
  return Json::Object{{"schema", "cacheon.resolution.v1"},
                      {"mode", ModeName(mode)},
                      {"model", model.empty() ? Json() : Json(model)},
                      {"bundle_id", answer.bundle_id.empty() ? Json() : Json(answer.bundle_id)},
                      {"resolution", answer.resolution ? answer.resolution->ToJson() : Json()},
                      {"admitted", answer.admitted},
                      {"rows", std::move(rows)},
                      {"gaps", std::move(gaps)},
                      {"errors", ErrorsJson(answer.errors)}};
}

std::string ConstraintText(const Constraint& constraint) {
  std::string text;
  if (constraint.allowed) {
    std::vector<std::string> values;
    for (const policy::Scalar& value : *constraint.allowed) {
      values.push_back(policy::ScalarText(value));
    }
    text += fmt::format(" one of {}", fmt::join(values, ", "));
  }
  if (constraint.min != std::numeric_limits<std::int64_t>::min()) {
    text += fmt::format(" from {}", constraint.min);
  }
  if (constraint.max != std::numeric_limits<std::int64_t>::max()) {
    text += fmt::format(" to {}", constraint.max);
  }
  if (constraint.excludes_cuda_graph) text += " not cuda_graph";
  return fmt::format("    {:18}{}{}\n", constraint.field, text,
                     constraint.required ? "" : " (or not said)");
}

std::string ResolutionText(const Answer& answer) {
  std::string target = "none";
  std::string features = "none";
  if (answer.resolution) {
    const policy::Resolution& resolution = *answer.resolution;
    if (resolution.target_id) target = *resolution.target_id;
    if (resolution.implicit) target += " (found by its slots; no [competition] asks for it)";
    if (!resolution.observed_features.empty()) {
      features = fmt::format("{}", fmt::join(resolution.observed_features, ", "));
    }
  }
  return fmt::format("{}\n  target     {}\n  admitted   {}\n  features   {}\n", answer.bundle_id,
                     target, answer.admitted ? "yes" : "no", features);
}

std::string AnswerText(const Answer& answer) {
  std::string text = ResolutionText(answer);
  for (const RowDomain& row : answer.rows) {
    text += fmt::format("\n  {} {}\n", row.slot, row.variant);
    for (const Constraint& constraint : row.domain.constraints()) {
      text += ConstraintText(constraint);
    }
    const std::optional<policy::CallDescriptor> witness = row.domain.Witness();
    if (witness && !witness->Text().empty()) {
      text += fmt::format("    for example {}\n", witness->Text());
    }
  }
  for (const SlotGap& gap : answer.gaps) {
    text +=
        fmt::format("\n  no row of {} serves {}; the incumbent does\n", gap.slot, gap.gap.Text());
  }
  return text;
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string root = arguments.Positional(0);
  const bundle::Mode mode = ModeOf(arguments);
  const std::string model = arguments.Value("--model");
  RETURN_IF_ERROR(CheckFolder(root));
  bundle::ManifestReading reading = ReadBundleManifest(root, mode);
  Answer answer{.errors = std::move(reading.errors)};
  std::ranges::move(reading.warnings, std::back_inserter(answer.errors));
  if (reading.manifest) {
    answer.bundle_id = reading.manifest->bundle_id;
    Resolve(root, *reading.manifest, mode, model, answer);
    ReadDomains(root, *reading.manifest, mode, answer);
  }
  answer.errors = WithoutRepeats(std::move(answer.errors));
  if (arguments.Has("--json")) {
    RETURN_IF_ERROR(
        WriteDocument(arguments, "--json", PrettyJson(AnswerJson(answer, mode, model))));
  } else {
    fmt::print(stderr, "{}", ErrorsText(answer.errors));
    if (reading.manifest) RETURN_IF_ERROR(Print(AnswerText(answer)));
  }
  return StatusOfErrors(answer.errors);
}

}  // namespace

const Verb kResolve = {
    .name = "resolve",
    .summary = "what a bundle competes for, whether it is admitted, which calls its rows serve",
    .positionals = {kBundlePositional},
    .flags = {{"--model", FlagKind::kValue, "M", "warns of what the arena of M cannot measure"},
              kModeFlag,
              kJsonFlag},
    .run = Run};

}  // namespace cacheon::cli
