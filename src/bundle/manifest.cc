// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/manifest.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "cacheon/bundle/key_path.h"
#include "cacheon/bundle/text.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/core/utf8.h"
#include "src/bundle/op_row.h"
#include "src/bundle/table_reader.h"
#include "src/bundle/toml_document.h"
#include "src/bundle/toml_precheck.h"

namespace cacheon::bundle {
namespace {

// Published bundles from before a renaming carry this spelling; readers keep it.
constexpr std::string_view kOlderAbiVersion = "optima-op-abi-v0";
// A patch is inspectable text; larger ones cannot be in an archive.
constexpr std::size_t kMaxPatchBytes = 8U << 20U;

constexpr auto kDocumentKeys = std::to_array<std::string_view>(
    {"bundle_id", "abi_version", "ops", "competition", "dep_patches"});
constexpr auto kCompetitionKeys = std::to_array<std::string_view>({"target", "mode"});
constexpr auto kDepPatchKeys = std::to_array<std::string_view>({"target", "path"});

std::optional<CompetitionMode> CompetitionModeOf(std::string_view name) {
  for (const auto mode :
       {CompetitionMode::kSlot, CompetitionMode::kAtomic, CompetitionMode::kSystem}) {
    if (CompetitionModeName(mode) == name) return mode;
  }
  return std::nullopt;
}

class ManifestReader {
 public:
  ManifestReader(ReadingContext& context, const Json::Object& document)
      : context_(context), fields_(context, document, "", kDocumentKeys) {}

  Manifest Run() {
    ReadIdentity();
    ReadOps();
    ReadCompetition();
    ReadDepPatches();
    WarnAboutUnknownKeys();
    return std::move(manifest_);
  }

 private:
  void ReadIdentity() {
    manifest_.bundle_id = fields_.Text("bundle_id").value_or("");
    if (manifest_.bundle_id.empty()) {
      fields_.Refuse("manifest.bundle_id_missing", "bundle_id", "the manifest has no `bundle_id`",
                     "write `bundle_id = \"my-kernel-v1\"`");
    } else if (!IsId(manifest_.bundle_id)) {
      fields_.Refuse("manifest.bundle_id_charset", "bundle_id",
                     Quoted(manifest_.bundle_id) + " is no bundle id",
                     "use letters, digits, '.', '_' and '-'");
    }
    manifest_.abi_version = fields_.Text("abi_version").value_or("");
    if (manifest_.abi_version == kOlderAbiVersion) {
      fields_.Warn("manifest.abi_older_spelling", "abi_version",
                   "the spelling is only read for bundles that are published",
                   fmt::format("write `abi_version = \"{}\"` in new bundles", kAbiVersion));
    } else if (manifest_.abi_version != kAbiVersion) {
      fields_.Refuse("manifest.unknown_abi", "abi_version",
                     manifest_.abi_version.empty()
                         ? "the manifest has no `abi_version`"
                         : Quoted(manifest_.abi_version) + " is no ABI that is read",
                     fmt::format("write `abi_version = \"{}\"`", kAbiVersion));
    }
  }

  void ReadOps() {
    const Json* ops = fields_.Find("ops");
    if (ops == nullptr || !ops->is_array() || ops->as_array().empty()) {
      fields_.Refuse("manifest.ops_missing", "ops", "the manifest has no op row",
                     "write one `[[ops]]` table per slot");
      return;
    }
    SlotUses uses;
    const Json::Array& rows = ops->as_array();
    for (std::size_t i = 0; i < rows.size() && !context_.full(); ++i) {
      std::string path = JoinIndex("ops", i);
      if (!IsTable(rows[i])) {
        context_.Refuse("manifest.op_not_table", "an op row is a table",
                        context_.places.OfValue(path), "write `[[ops]]`");
        continue;
      }
      manifest_.ops.push_back(ReadOpRow(context_, rows[i].as_object(), std::move(path), uses));
    }
  }

  static bool IsTable(const Json& value) {
    return value.is_object() && value.Find(kTomlDateKey) == nullptr;
  }

  void RefuseUnknownKeys(Code code, const TableReader& fields) {
    for (const std::string& key : fields.UnknownKeys()) {
      context_.Refuse(code, Quoted(key) + " is no key of this table",
                      context_.places.OfKey(fields.PathOf(key)),
                      fields.Suggest(key, "remove the key"));
    }
  }

  void ReadCompetition() {
    const Json* value = fields_.Find("competition");
    if (value == nullptr) return;
    if (!IsTable(*value)) {
      fields_.Refuse("manifest.competition_type", "competition", "`competition` is a table",
                     "write `[competition]` with `target` and `mode`");
      return;
    }
    const TableReader fields(context_, value->as_object(), "competition", kCompetitionKeys);
    RefuseUnknownKeys("manifest.competition_unknown_keys", fields);
    Competition competition;
    ReadCompetitionTarget(fields, competition);
    ReadCompetitionMode(fields, competition);
    manifest_.competition = std::move(competition);
  }

  static void ReadCompetitionTarget(const TableReader& fields, Competition& competition) {
    const Json* target = fields.Find("target");
    if (target == nullptr || !target->is_string()) {
      fields.Refuse("manifest.competition_target_type", "target", "`target` is a required string",
                    "name a target of `cacheon targets`");
      return;
    }
    competition.target = Trim(target->as_string());
    if (IsId(competition.target)) return;
    fields.Refuse("manifest.competition_target_charset", "target",
                  Quoted(competition.target) + " is no target name",
                  "use letters, digits, '.', '_' and '-'");
  }

  static void ReadCompetitionMode(const TableReader& fields, Competition& competition) {
    const Json* mode = fields.Find("mode");
    if (mode == nullptr || !mode->is_string()) {
      fields.Refuse("manifest.competition_mode_type", "mode", "`mode` is a required string",
                    "write \"slot\", \"atomic\" or \"system\"");
      return;
    }
    const auto known = CompetitionModeOf(Trim(mode->as_string()));
    if (known) {
      competition.mode = *known;
      return;
    }
    fields.Refuse("manifest.competition_mode_value", "mode",
                  Quoted(mode->as_string()) + " is no mode",
                  "write \"slot\", \"atomic\" or \"system\"");
  }

  void ReadDepPatches() {
    const Json* value = fields_.Find("dep_patches");
    if (value == nullptr) return;
    if (!value->is_array()) {
      fields_.Refuse("manifest.dep_patches_type", "dep_patches",
                     "`dep_patches` is a list of tables",
                     "write `[[dep_patches]]` with `target` and `path`");
      return;
    }
    const Json::Array& rows = value->as_array();
    for (std::size_t i = 0; i < rows.size() && !context_.full(); ++i) {
      const std::string path = JoinIndex("dep_patches", i);
      if (IsTable(rows[i])) {
        ReadDepPatch(TableReader(context_, rows[i].as_object(), path, kDepPatchKeys));
      } else {
        context_.Refuse("manifest.dep_patch_not_table", "a dependency patch is a table",
                        context_.places.OfValue(path), "write `[[dep_patches]]`");
      }
    }
  }

  void ReadDepPatch(const TableReader& fields) {
    DependencyPatch row;
    const Json* target = fields.Find("target");
    if (target != nullptr && target->is_string()) row.target = Trim(target->as_string());
    if (!IsId(row.target)) {
      fields.Refuse("manifest.dep_patch_target_charset", "target",
                    target == nullptr ? "the patch names no target"
                                      : Quoted(row.target) + " is no name of a dependency",
                    "write `target = \"flashinfer\"`");
    }
    const Json* text = fields.Find("path");
    const std::string_view path_text =
        text != nullptr && text->is_string() ? Trim(text->as_string()) : std::string_view();
    auto path = fields.Path(path_text, fields.PathOf("path"), PathUse::kPatch);
    if (path) {
      row.path = std::move(*path);
      ReadPatchFile(fields, row);
      if (IsId(row.target) && !dep_patches_seen_.emplace(row.target, row.path.resolved).second) {
        fields.Refuse("manifest.dep_patch_duplicate", "path",
                      Quoted(row.path.text) + " is applied to this target already",
                      "list each patch once per target");
      }
    }
    RefuseUnknownKeys("manifest.dep_patch_unknown_keys", fields);
    manifest_.dep_patches.push_back(std::move(row));
  }

  void ReadPatchFile(const TableReader& fields, DependencyPatch& row) {
    auto text = ReadFile(context_.root.path() + '/' + row.path.resolved, kMaxPatchBytes);
    if (!text) {
      context_.errors.push_back(std::move(text.error()).At({.file = row.path.resolved}));
      return;
    }
    if (!IsUtf8(*text)) {
      fields.Refuse("manifest.dep_patch_encoding", "path", Quoted(row.path.text) + " is not UTF-8",
                    "save the patch as UTF-8");
      return;
    }
    auto patch = ParsePatch(UniversalNewlines(std::move(*text)));
    if (patch) {
      row.patch = std::move(*patch);
      return;
    }
    const Error& inner = patch.error();
    context_.Refuse("manifest.dep_patch_rejected",
                    fmt::format("{}: {}", inner.code.text(), inner.message),
                    {.file = row.path.resolved,
                     .line = inner.where.line,
                     .column = inner.where.column,
                     .key_path = fields.PathOf("path")},
                    inner.hint);
  }

  void WarnAboutUnknownKeys() {
    if (context_.options.mode == Mode::kCompat) return;
    for (const std::string& key : fields_.UnknownKeys()) {
      context_.Warn("manifest.unknown_key", Quoted(key) + " means nothing here and is ignored",
                    context_.places.OfKey(fields_.PathOf(key)),
                    fields_.Suggest(key, "remove the key"));
    }
  }

  ReadingContext& context_;
  TableReader fields_;
  Manifest manifest_;
  std::set<std::pair<std::string, std::string>> dep_patches_seen_;
};

Result<std::string> ReadManifestText(const BundleRoot& root) {
  const std::string path = root.path() + '/' + std::string(kManifestFile);
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Fail("manifest.missing", "the bundle has no manifest.toml",
                {.file = std::string(kManifestFile)}, "`cacheon new SLOT DIR` writes one");
  }
  auto text = ReadFile(path, kMaxTomlBytes);
  if (!text && text.error().code == Code("io.too_large")) {
    return Fail("manifest.too_large", fmt::format("more than {} bytes", kMaxTomlBytes),
                {.file = std::string(kManifestFile)},
                "a manifest names files; data belongs in files of its own");
  }
  if (!text) return Fail(std::move(text.error()).At({.file = std::string(kManifestFile)}));
  return text;
}

Result<TomlDocument> ReadDocument(const BundleRoot& root) {
  ASSIGN_OR_RETURN(const std::string text, ReadManifestText(root));
  return ParseToml(text, kManifestFile);
}

}  // namespace

std::string_view CompetitionModeName(CompetitionMode mode) {
  switch (mode) {
    case CompetitionMode::kSlot:
      return "slot";
    case CompetitionMode::kAtomic:
      return "atomic";
    case CompetitionMode::kSystem:
      return "system";
  }
  return "slot";
}

ManifestReading ReadManifest(const std::string& root_path, const ManifestOptions& options) {
  CACHEON_CHECK(options.artifact_rows != nullptr, "a caller forgot the checker of artifact rows");
  ManifestReading reading;
  auto root = BundleRoot::Open(root_path);
  if (!root) {
    reading.errors.push_back(std::move(root.error()));
    return reading;
  }
  auto document = ReadDocument(*root);
  if (!document) {
    reading.errors.push_back(std::move(document.error()));
    return reading;
  }
  ReadingContext context{.root = *root, .places = *document->places, .options = options};
  Manifest manifest = ManifestReader(context, document->root.as_object()).Run();
  reading.errors = std::move(context.errors);
  reading.warnings = std::move(context.warnings);
  if (!reading.errors.empty()) return reading;
  manifest.places = document->places;
  reading.manifest = std::move(manifest);
  return reading;
}

}  // namespace cacheon::bundle
