// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/policy/rebuild_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "cacheon/bundle/text.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/core/utf8.h"

namespace cacheon::policy {
namespace {

// The published steps, then ours.
constexpr std::array<Patcher, 4> kPatchers = {{
    {"apply_dep_patch.py", "cacheon.apply-dep-patch.v1", "rebuild:apply_dep_patch"},
    {"build_cuda_ext.py", "cacheon.build-cuda-ext.v1", "rebuild:build_cuda_ext"},
    {"build_cute_cubin.py", "cacheon.build-cute-cubin.v1", "rebuild:build_cute_cubin"},
    {"build_nvcc_cubin.py", "cacheon.build-nvcc-cubin.v1", "rebuild:build_nvcc_cubin"},
}};
constexpr std::size_t kPublishedPatchers = 3;

constexpr std::string_view kPatcherDirectory = "cacheon/patchers/";
constexpr std::string_view kStepType = "repo_python";
constexpr std::string_view kBundleStepType = "bundle_python";

// One item of `steps`.
struct Item {
  const Json& value;
  std::size_t index;

  Place At(std::string_view key = {}) const {
    return {.file = std::string(kRebuildFile),
            .key_path = key.empty() ? fmt::format("steps[{}]", index)
                                    : fmt::format("steps[{}].{}", index, key)};
  }
};

bool HasExactly(const Json& object, std::span<const std::string_view> keys) {
  return object.as_object().size() == keys.size() &&
         std::ranges::all_of(keys,
                             [&](std::string_view key) { return object.Find(key) != nullptr; });
}

bool HasParentComponent(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

Status CheckStepShape(const Item& item) {
  static constexpr std::array<std::string_view, 2> kKeys = {"type", "path"};
  if (!item.value.is_object()) {
    return Fail("rebuild.step_not_object", "a step must be an object", item.At());
  }
  if (!HasExactly(item.value, kKeys)) {
    return Fail("rebuild.step_fields", "a step has the keys `type` and `path` and no others",
                item.At());
  }
  const Json& type = *item.value.Find("type");
  if (type == Json(kBundleStepType)) {
    return Fail("rebuild.bundle_python", "a bundle's own program is never run while it is built",
                item.At("type"), "name a step of this system, with type `repo_python`");
  }
  if (type != Json(kStepType)) {
    return Fail("rebuild.step_type", "the type of a step is `repo_python`", item.At("type"));
  }
  return {};
}

// The name of the patcher that a step's path gives.
Result<std::string_view> PatcherName(const Item& item) {
  const Json& path = *item.value.Find("path");
  if (!path.is_string() || path.as_string().empty() || path.as_string().front() == '/') {
    return Fail("rebuild.path_form", "the path of a step is a relative path", item.At("path"));
  }
  const std::string_view text = path.as_string();
  if (HasParentComponent(text)) {
    return Fail("rebuild.path_traversal", fmt::format("{} leaves its folder", bundle::Quoted(text)),
                item.At("path"));
  }
  const bool below = text.starts_with(kPatcherDirectory);
  const std::string_view name = below ? text.substr(kPatcherDirectory.size()) : text;
  if (name.empty() || name.find('/') != std::string_view::npos) {
    return Fail(
        "rebuild.path_directory",
        fmt::format("`{}` is neither a bare name nor directly below `{}`", text, kPatcherDirectory),
        item.At("path"));
  }
  return name;
}

Result<RebuildStep> ReadStep(const Item& item, bundle::Mode mode) {
  RETURN_IF_ERROR(CheckStepShape(item));
  ASSIGN_OR_RETURN(const std::string_view name, PatcherName(item));
  const std::span<const Patcher> patchers = Patchers(mode);
  const auto patcher = std::ranges::find(patchers, name, &Patcher::file);
  if (patcher == patchers.end()) {
    std::vector<std::string_view> known;
    for (const Patcher& candidate : patchers) known.push_back(candidate.file);
    return Fail("rebuild.unregistered",
                fmt::format("{} is not a step of this system", bundle::Quoted(name)),
                item.At("path"), fmt::format("one of {}", fmt::join(known, ", ")));
  }
  return RebuildStep{&*patcher, item.value.Find("path")->as_string()};
}

Result<Json> ReadDocument(std::string_view text) {
  const Place file{.file = std::string(kRebuildFile)};
  if (!IsUtf8(text)) return Fail("rebuild.json", "the file is not UTF-8", file);
  Result<Json> document = ReadJson(text, {.max_bytes = kMaxRebuildBytes});
  if (document) return document;
  Error error = std::move(document).error();
  error.where.file = kRebuildFile;
  if (error.code == Code("json.duplicate_key")) {
    return Fail("rebuild.duplicate_key", error.message, error.where);
  }
  return Fail("rebuild.json", fmt::format("the file cannot be read: {}", error.message),
              error.where);
}

}  // namespace

std::span<const Patcher> Patchers(bundle::Mode mode) {
  const std::span<const Patcher> all = kPatchers;
  return mode == bundle::Mode::kCompat ? all.first(kPublishedPatchers) : all;
}

std::vector<std::string> RebuildPlan::Features() const {
  std::vector<std::string> features;
  for (const RebuildStep& step : steps) features.emplace_back(step.patcher->feature);
  std::ranges::sort(features);
  return features;
}

Json RebuildPlan::Identity(const std::map<std::string, std::string, std::less<>>& digests) const {
  Json::Array rows;
  for (const RebuildStep& step : steps) {
    const auto digest = digests.find(step.patcher->id);
    CACHEON_CHECK(digest != digests.end(), "a plan names a patcher whose program has no digest");
    rows.push_back(Json::Object{{"type", kStepType},
                                {"patcher_id", step.patcher->id},
                                {"path", step.path},
                                {"patcher_sha256", digest->second}});
  }
  return Json::Object{{"schema_version", 1}, {"steps", std::move(rows)}};
}

Result<RebuildPlan> ParseRebuildPlan(std::string_view text, bundle::Mode mode) {
  static constexpr std::array<std::string_view, 1> kKeys = {"steps"};
  const std::string file(kRebuildFile);
  ASSIGN_OR_RETURN(const Json document, ReadDocument(text));
  if (!document.is_object()) {
    return Fail("rebuild.not_object", "the file must hold an object", {.file = file});
  }
  if (!HasExactly(document, kKeys)) {
    return Fail("rebuild.fields", "the object has the key `steps` and no other", {.file = file});
  }
  const Json& steps = *document.Find("steps");
  if (!steps.is_array()) {
    return Fail("rebuild.steps_type", "`steps` must be a list",
                {.file = file, .key_path = "steps"});
  }
  RebuildPlan plan;
  for (std::size_t i = 0; i < steps.as_array().size(); ++i) {
    const Item item{steps.as_array()[i], i};
    ASSIGN_OR_RETURN(RebuildStep step, ReadStep(item, mode));
    if (std::ranges::find(plan.steps, step.patcher, &RebuildStep::patcher) != plan.steps.end()) {
      return Fail("rebuild.duplicate_patcher",
                  fmt::format("`{}` is asked for twice", step.patcher->file), item.At("path"));
    }
    plan.steps.push_back(std::move(step));
  }
  std::ranges::sort(plan.steps, {}, &RebuildStep::patcher);  // the table is in running order
  return plan;
}

Result<RebuildPlan> ReadRebuildPlan(const std::string& root, bundle::Mode mode) {
  const std::string path = root + "/" + std::string(kRebuildFile);
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return RebuildPlan{};
    return FailErrno("io.read", "cannot look at rebuild.json", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Fail("rebuild.file_kind", "rebuild.json must be a regular file, not a link",
                {.file = std::string(kRebuildFile)});
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxRebuildBytes, false));
  return ParseRebuildPlan(text, mode);
}

}  // namespace cacheon::policy
