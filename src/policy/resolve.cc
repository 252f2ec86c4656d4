// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cacheon/policy/provider.h"
#include "src/policy/json_list.h"

namespace cacheon::policy {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kSystemMode = "system";

Texts SortedMembers(const Declaration& declaration) {
  std::set<std::string> members;
  for (const DeclaredRow& row : declaration.rows) members.insert(row.slot);
  return {members.begin(), members.end()};
}

bool Has(const Texts& sorted, std::string_view text) {
  return std::ranges::binary_search(sorted, text, std::less<>());
}

// Where a rule about the whole bundle is broken: at its request, or at its first row.
Place RequestPlace(const Declaration& declaration) {
  if (declaration.competition) return declaration.competition->where;
  return declaration.rows.empty() ? Place{} : declaration.rows.front().where;
}

Resolution Unregistered(const Declaration& declaration, Error reason, bool implicit) {
  return {.members = SortedMembers(declaration), .implicit = implicit, .reason = std::move(reason)};
}

Resolution Registered(const Target& target, bool implicit) {
  return {.target_id = std::string(target.id),
          .kind = target.kind,
          .members = Texts(target.members.begin(), target.members.end()),
          .registered = true,
          .implicit = implicit};
}

Result<const Target*> RequestedTarget(const CompetitionRequest& request, const Texts& members) {
  if (request.mode != "slot" && request.mode != "atomic") {
    return Fail("target.mode_unknown", fmt::format("`{}` is not a mode", request.mode),
                request.where, "slot or atomic");
  }
  const Target* target = TargetCatalog::Published().Find(request.target);
  if (target == nullptr) {
    return Fail("target.unknown",
                fmt::format("`{}` is not a target of the catalogue", request.target), request.where,
                "`cacheon targets` lists them");
  }
  if (request.mode != TargetKindName(target->kind)) {
    return Fail("target.mode_mismatch",
                fmt::format("`{}` is a target of mode `{}`, not `{}`", target->id,
                            TargetKindName(target->kind), request.mode),
                request.where);
  }
  Texts needed(target->members.begin(), target->members.end());
  std::ranges::sort(needed);
  if (needed != members) {
    return Fail("target.member_mismatch",
                fmt::format("`{}` takes rows of {}, the bundle has rows of {}", target->id,
                            fmt::join(needed, " and "), fmt::join(members, ", ")),
                request.where);
  }
  return target;
}

// Steps 2 to 5: the target by request, or by the set of members.
Result<Resolution> FindTarget(const Declaration& declaration) {
  const Texts members = SortedMembers(declaration);
  if (!declaration.competition) {
    const Target* target = TargetCatalog::Published().FindByMembers(members);
    if (target != nullptr) return Registered(*target, true);
    return Unregistered(
        declaration,
        Fail("target.unregistered_members",
             fmt::format("no target has exactly the members {}", fmt::join(members, ", ")),
             RequestPlace(declaration),
             "one slot in a bundle, or an atomic target's slots together")
            .error(),
        true);
  }
  const CompetitionRequest& request = *declaration.competition;
  if (request.mode == kSystemMode) {
    return Unregistered(declaration,
                        Fail("target.legacy_system", "mode `system` is not accepted any more",
                             request.where, "ask for a slot, or for an atomic target")
                            .error(),
                        false);
  }
  ASSIGN_OR_RETURN(const Target* target, RequestedTarget(request, members));
  return Registered(*target, false);
}

// In strict mode a target that admits the published provider admits ours.
bool Admits(const Target& target, std::string_view feature, bundle::Mode mode) {
  if (target.Allows(feature)) return true;
  if (mode == bundle::Mode::kCompat) return false;
  const bool published = std::ranges::all_of(PublishedProviders(), [&](const Provider& provider) {
    return target.Allows(provider.target_feature);
  });
  return published && std::ranges::any_of(ExtensionProviders(), [&](const Provider& provider) {
           return feature == provider.target_feature || feature == provider.rebuild_feature;
         });
}

// The row that shows a feature, for the place of an error.
Place PlaceOfFeature(const Declaration& declaration, std::string_view feature) {
  for (const DeclaredRow& row : declaration.rows) {
    const Texts shown = DeclaredFeatures({.rows = {row}});
    if (feature != "entry" && Has(shown, feature)) return row.where;
  }
  return RequestPlace(declaration);
}

// Step 6.
Status CheckAdmitted(const Declaration& declaration, const Resolution& resolution,
                     bundle::Mode mode) {
  const Target& target = *TargetCatalog::Published().Find(*resolution.target_id);
  Texts rejected = resolution.observed_features;
  std::erase_if(rejected,
                [&](const std::string& feature) { return Admits(target, feature, mode); });
  if (rejected.empty()) return {};
  const Place where = PlaceOfFeature(declaration, rejected.front());
  if (Has(rejected, "setup")) {
    return Fail("target.feature_setup", "`setup` is never admitted",
                PlaceOfFeature(declaration, "setup"),
                "do the work in `prepare`, or at the first call");
  }
  return Fail("target.feature_rejected",
              fmt::format("`{}` does not admit {}", target.id, fmt::join(rejected, ", ")), where);
}

// Steps 2 to 6, for observed features that are sorted.
Result<Resolution> Resolve(const Declaration& declaration, Texts observed, bundle::Mode mode) {
  ASSIGN_OR_RETURN(Resolution resolution, FindTarget(declaration));
  resolution.observed_features = std::move(observed);
  if (resolution.registered) RETURN_IF_ERROR(CheckAdmitted(declaration, resolution, mode));
  return resolution;
}

// Step 7: what the manifest declares and what the rebuild plan does must fit.
class Consistency {
 public:
  Consistency(const Declaration& declaration, const Texts& observed, bundle::Mode mode)
      : declaration_(declaration), observed_(observed), mode_(mode) {}

  Status Check() const {
    RETURN_IF_ERROR(CheckPatches());
    RETURN_IF_ERROR(CheckCudaSources());
    return CheckProviders();
  }

 private:
  bool Observed(std::string_view feature) const { return Has(observed_, feature); }

  Status CheckPatches() const {
    const bool patches = !declaration_.patched_dependencies.empty();
    const bool applied = Observed("rebuild:apply_dep_patch");
    if (patches && !applied) {
      return Fail("target.patch_without_rebuild",
                  "the bundle patches a dependency but no step applies the patch",
                  RequestPlace(declaration_), "add the step apply_dep_patch.py to rebuild.json");
    }
    if (applied && !patches) {
      return Fail("target.rebuild_patch_without_patch",
                  "rebuild.json applies patches but the manifest declares none",
                  {.file = "rebuild.json"});
    }
    return {};
  }

  // Sources of a row whose providers compile them belong to its exports, not to the extension.
  bool BuildsExtension(const DeclaredRow& row) const {
    if (row.cuda_sources.empty()) return false;
    return !std::ranges::any_of(row.providers, [&](const std::string& id) {
      const Provider* provider = FindProvider(id, mode_);
      return provider != nullptr && provider->takes_cuda_sources;
    });
  }

  Status CheckCudaSources() const {
    const auto row = std::ranges::find_if(
        declaration_.rows, [&](const DeclaredRow& each) { return BuildsExtension(each); });
    const bool sources = row != declaration_.rows.end();
    const bool built = Observed("rebuild:build_cuda_ext");
    if (sources && !built) {
      return Fail("target.cuda_without_rebuild", "the row has CUDA sources but no step builds them",
                  row->where, "add the step build_cuda_ext.py to rebuild.json");
    }
    if (built && !sources) {
      return Fail("target.rebuild_cuda_without_sources",
                  "rebuild.json builds CUDA sources but no row declares any",
                  {.file = "rebuild.json"});
    }
    if (built && !std::ranges::any_of(declaration_.rows, [&](const DeclaredRow& each) {
          return BuildsExtension(each) && HasUnit(each);
        })) {
      return Fail("target.cuda_no_unit", "none of the declared CUDA sources is a `.cu` file",
                  row->where, "declare the translation unit too, not only its headers");
    }
    return {};
  }

  static bool HasUnit(const DeclaredRow& row) {
    return std::ranges::any_of(row.cuda_sources,
                               [](const std::string& path) { return path.ends_with(".cu"); });
  }

  Status CheckProviders() const {
    std::set<std::string_view> used;
    for (const DeclaredRow& row : declaration_.rows) {
      for (const std::string& id : row.providers) {
        RETURN_IF_ERROR(CheckProvider(row, id));
        used.insert(id);
      }
    }
    for (const Provider* provider : Providers(mode_)) {
      if (!Observed(provider->rebuild_feature) || used.contains(provider->id)) continue;
      return Fail(
          "target.rebuild_aot_without_exports",
          fmt::format("rebuild.json builds exports of `{}` but no row has any", provider->id),
          {.file = "rebuild.json"});
    }
    return {};
  }

  Status CheckProvider(const DeclaredRow& row, const std::string& id) const {
    const Provider* provider = FindProvider(id, mode_);
    if (provider == nullptr) {
      return Fail("target.provider_unregistered", fmt::format("`{}` is not a provider", id),
                  row.where);
    }
    for (const std::string_view feature : provider->RequiredTargetFeatures()) {
      if (Observed(feature)) continue;
      return Fail("target.aot_missing_features",
                  fmt::format("exports of `{}` need `{}`", id, feature), row.where,
                  "add the provider's step to rebuild.json");
    }
    return {};
  }

  const Declaration& declaration_;
  const Texts& observed_;
  bundle::Mode mode_;
};

Error Warning(Code code, std::string message, Place where, std::string hint) {
  Error error{.code = code, .message = std::move(message), .where = std::move(where)};
  error.hint = std::move(hint);
  error.severity = Severity::kWarning;
  return error;
}

}  // namespace

Json Resolution::ToJson() const {
  return Json::Object{{"target_id", target_id ? Json(*target_id) : Json()},
                      {"kind", kind ? Json(TargetKindName(*kind)) : Json()},
                      {"members", JsonList(members)},
                      {"registered", registered},
                      {"implicit", implicit},
                      {"observed_features", JsonList(observed_features)},
                      {"features_complete", features_complete},
                      {"reason", reason ? Json(reason->code.text()) : Json()}};
}

Result<Resolution> InspectResolution(const Declaration& declaration, bundle::Mode mode) {
  return Resolve(declaration, DeclaredFeatures(declaration), mode);
}

Result<Resolution> AdmitBundle(const Declaration& declaration,
                               std::span<const std::string> rebuild_features, bundle::Mode mode) {
  const Texts declared = DeclaredFeatures(declaration);
  std::set<std::string> observed(declared.begin(), declared.end());
  for (const std::string& feature : rebuild_features) {
    if (feature.empty()) {
      return Fail("target.features_malformed", "an external feature is empty",
                  {.file = "rebuild.json"});
    }
    observed.insert(feature);
  }
  ASSIGN_OR_RETURN(Resolution resolution,
                   Resolve(declaration, Texts(observed.begin(), observed.end()), mode));
  if (!resolution.registered) return Fail(*std::move(resolution.reason));
  RETURN_IF_ERROR(Consistency(declaration, resolution.observed_features, mode).Check());
  resolution.features_complete = true;
  return resolution;
}

std::vector<Error> ResolutionWarnings(const Declaration& declaration, const Resolution& resolution,
                                      std::string_view model) {
  std::vector<Error> warnings;
  if (resolution.target_id && IsUnavailableInArena(*resolution.target_id, model)) {
    warnings.push_back(Warning(
        "target.unavailable_in_arena",
        fmt::format("`{}` cannot be measured in the arena of {}", *resolution.target_id, model),
        RequestPlace(declaration), "work on it cannot win there"));
  }
  for (const DeclaredRow& row : declaration.rows) {
    const Target* target = TargetCatalog::Published().Find(row.slot);
    if (!row.has_prepare || target == nullptr || target->contract_has_prepare) continue;
    warnings.push_back(
        Warning("target.prepare_unused",
                fmt::format("{} has no prepare step; `prepare` is never called", row.slot),
                row.where, "remove `prepare`"));
  }
  return warnings;
}

}  // namespace cacheon::policy
