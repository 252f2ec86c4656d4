// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "src/artifact/binding_check.h"

namespace cacheon::artifact {
namespace {

bool HasPrefix(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::find(prefixes, name.substr(0, name.find('.'))) != prefixes.end();
}

bool MayTouch(Role role, std::string_view name, const CallAbi& abi) {
  switch (role) {
    case Role::kInit:
      return HasPrefix(name, {"workspace", "state", "group", "stream"});
    case Role::kPrepare:
      return HasPrefix(name, {"workspace", "state", "group", "stream", "prepared"}) ||
             std::ranges::find(abi.prepare_args, name) != abi.prepare_args.end();
    case Role::kReset:
    case Role::kDestroy:
      return HasPrefix(name, {"workspace", "state", "group", "stream", "prepared"});
    case Role::kRun:
      return HasPrefix(name, {"workspace", "state", "group", "stream", "prepared"}) ||
             IsCallArg(abi, name);
  }
  std::unreachable();
}

// How the steps of a plan expose one resource to a kernel or a fill.
struct Exposure {
  std::array<bool, 5> by_binding{};  // by role
  std::array<bool, 5> by_fill{};

  bool by(Role role) const {
    const auto index = static_cast<std::size_t>(role);
    return by_binding[index] || by_fill[index];
  }
  bool any() const {
    return std::ranges::count(by_binding, true) + std::ranges::count(by_fill, true) > 0;
  }
};

Exposure ExposureOf(std::string_view name, std::span<const PlanStep> steps,
                    const ExportContext& context) {
  Exposure exposure;
  for (const PlanStep& step : steps) {
    const auto role = static_cast<std::size_t>(step.row->role);
    for (const Binding& binding : step.row->bindings) {
      exposure.by_binding[role] |=
          binding.peer_resource == name || (binding.source == name && Writes(binding, context));
    }
    for (const PrelaunchFill& fill : step.row->prelaunch) {
      exposure.by_fill[role] |= fill.target == name;
    }
  }
  return exposure;
}

Status CheckRoles(std::span<const PlanStep> steps) {
  const auto run = [](const PlanStep& step) { return step.row->role == Role::kRun; };
  if (std::ranges::none_of(steps, run)) {
    return Fail("pl.no_run", fmt::format("plan `{}` has no run step", steps[0].row->plan),
                {.key_path = steps[0].key_path});
  }
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i - 1].row->role <= steps[i].row->role) continue;
    return Fail("pl.role_order",
                fmt::format("a `{}` step must not follow a `{}` step", RoleName(steps[i].row->role),
                            RoleName(steps[i - 1].row->role)),
                {.key_path = steps[i].key_path + ".role"},
                "roles stand in the order init, prepare, reset, run, destroy by `step`");
  }
  return {};
}

Status CheckOutputs(std::span<const PlanStep> steps, const ExportContext& context) {
  for (const CallResource& output : context.abi.resources) {
    if (!output.name.starts_with("output.")) continue;
    if (ExposureOf(output.name, steps, context).by(Role::kRun)) continue;
    return Fail(
        "pl.outputs",
        fmt::format("no run step of plan `{}` writes `{}`", steps[0].row->plan, output.name),
        {.key_path = steps[0].key_path},
        "bind it as a tensor or a device pointer, or fill it before launch");
  }
  return {};
}

Status CheckDestroySteps(std::span<const PlanStep> steps, const ExportContext& context) {
  for (const PlanStep& step : steps) {
    if (step.row->role != Role::kDestroy) continue;
    const ArtifactResource* first = nullptr;
    const KeyPath path(step.key_path);
    for (const Reference& reference : ReferencesOf(*step.row, path)) {
      const ArtifactResource* resource = FindArtifactResource(context.resources, reference.name);
      if (resource == nullptr) continue;
      if (first == nullptr) first = resource;
      if (first->lifetime == resource->lifetime && first->scope == resource->scope) continue;
      return Fail("rs.destroy_mix",
                  fmt::format("a destroy step mixes `{}` and `{}`, which end at different times",
                              first->name, resource->name),
                  {.key_path = reference.key_path}, "use one destroy step for each");
    }
  }
  return {};
}

Status CheckWorkspace(const ArtifactResource& resource, const Exposure& exposure,
                      const Place& where) {
  if (!exposure.by(Role::kInit) && !exposure.by(Role::kDestroy)) return {};
  return Fail("rs.ws_role",
              fmt::format("`{}` lives for one call, outside init and destroy", resource.name),
              where, "use a state resource");
}

Status CheckPrepared(const ArtifactResource& resource, const Exposure& exposure,
                     const Place& where) {
  if (exposure.by(Role::kInit) || exposure.by(Role::kReset)) {
    return Fail("rs.prep_role",
                fmt::format("`{}` must not be touched by init or reset", resource.name), where);
  }
  if (!exposure.by(Role::kPrepare) || !exposure.by_binding[static_cast<std::size_t>(Role::kRun)]) {
    return Fail("rs.prep_pair",
                fmt::format("`{}` needs a prepare step that writes it and a run step that binds it",
                            resource.name),
                where);
  }
  return {};
}

Status CheckResourceRoles(std::span<const PlanStep> steps, const ExportContext& context) {
  const Place where{.key_path = steps[0].key_path};
  for (const ArtifactResource& resource : context.resources.resources) {
    if (ExposureOf(resource.name, steps, context).any()) continue;
    return Fail(
        "rs.unused",
        fmt::format("plan `{}` never binds or fills `{}`", steps[0].row->plan, resource.name),
        where, "every plan of an op uses every declared resource; sizes alone do not count");
  }
  for (const ArtifactResource& resource : context.resources.resources) {
    const Exposure exposure = ExposureOf(resource.name, steps, context);
    if (resource.lifetime == Lifetime::kCall) {
      RETURN_IF_ERROR(CheckWorkspace(resource, exposure, where));
    } else if (resource.lifetime == Lifetime::kPrepared) {
      RETURN_IF_ERROR(CheckPrepared(resource, exposure, where));
    }
  }
  return {};
}

}  // namespace

std::vector<Reference> ReferencesOf(const AotExport& row, const KeyPath& path) {
  std::vector<Reference> references;
  for (std::size_t i = 0; i < row.bindings.size(); ++i) {
    const Binding& binding = row.bindings[i];
    const KeyPath bindings_path = path.Key("bindings");
    const KeyPath binding_path = bindings_path.At(i);
    if (!binding.source.empty()) {
      references.push_back({binding.source, binding_path.Key("source").Text()});
    }
    for (const DynamicLeaf* leaf : DynamicLeavesOf(binding)) {
      references.push_back({leaf->source, binding_path.Key("components").Text()});
    }
    if (!binding.peer_resource.empty()) {
      references.push_back({binding.peer_resource, binding_path.Key("peer_resource").Text()});
    }
  }
  for (std::size_t i = 0; i < row.prelaunch.size(); ++i) {
    references.push_back(
        {row.prelaunch[i].target, path.Key("prelaunch").At(i).Key("target").Text()});
  }
  return references;
}

Status CheckBoundary(const AotExport& row, const ExportContext& context, const KeyPath& path) {
  for (const Reference& reference : ReferencesOf(row, path)) {
    if (!MayTouch(row.role, reference.name, context.abi)) {
      return Fail("pl.boundary",
                  fmt::format("a `{}` step cannot touch `{}`", RoleName(row.role), reference.name),
                  {.key_path = reference.key_path});
    }
    if (row.role != Role::kRun && reference.name.starts_with("output.")) {
      return Fail("pl.output_mut",
                  fmt::format("only run steps may touch the output `{}`", reference.name),
                  {.key_path = reference.key_path});
    }
  }
  return {};
}

Status CheckPipeline(std::span<const PlanStep> steps, const ExportContext& context) {
  RETURN_IF_ERROR(CheckRoles(steps));
  RETURN_IF_ERROR(CheckOutputs(steps, context));
  RETURN_IF_ERROR(CheckDestroySteps(steps, context));
  return CheckResourceRoles(steps, context);
}

}  // namespace cacheon::artifact
