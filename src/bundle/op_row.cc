// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/op_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cacheon/bundle/key_path.h"
#include "cacheon/bundle/text.h"
#include "src/bundle/export_metadata.h"

namespace cacheon::bundle {
namespace {

constexpr auto kOpKeys = std::to_array<std::string_view>(
    {"slot", "variant", "source", "entry", "prepare", "setup", "dtypes", "architectures",
     "metadata", "base_kernel", "override_point", "cuda_sources", "aot_exports",
     "artifact_resources"});

class OpRowReader {
 public:
  OpRowReader(ReadingContext& context, const Json::Object& table, std::string path, SlotUses& uses)
      : context_(context), table_(table), fields_(context, table, path, kOpKeys), uses_(uses) {
    row_.key_path = std::move(path);
  }

  OpRow Run() {
    ReadSlotAndVariant();
    ReadCallables();
    ReadFiles();
    row_.dtypes = fields_.Strings("dtypes");
    row_.architectures = fields_.Strings("architectures");
    ReadOverride();
    ReadCudaSources();
    ReadArtifactRows();
    ReadExtra();
    return std::move(row_);
  }

 private:
  void ReadSlotAndVariant() {
    row_.slot = fields_.Text("slot").value_or("");
    if (row_.slot.empty()) {
      fields_.Refuse("manifest.op_slot_missing", "slot", "the row names no slot",
                     "write `slot = \"activation.silu_and_mul\"` or another of `cacheon slots`");
    }
    const Json* variant = fields_.Find("variant");
    row_.variant_explicit = variant != nullptr;
    row_.variant = kDefaultVariant;
    if (variant != nullptr && !variant->is_string()) {
      fields_.Refuse("manifest.op_variant_type", "variant", "`variant` is a string",
                     "write the name in quotes");
      return;
    }
    if (variant != nullptr) row_.variant = Trim(variant->as_string());
    if (!IsId(row_.variant)) {
      fields_.Refuse("manifest.op_variant_charset", "variant",
                     Quoted(row_.variant) + " is no variant name",
                     "use letters, digits, '.', '_' and '-'");
      return;
    }
    if (!row_.slot.empty()) CheckRepeat();
  }

  void CheckRepeat() {
    SlotUse& use = uses_[row_.slot];
    const bool first = use.variants.empty();
    use.all_explicit &= row_.variant_explicit;
    const bool fresh = use.variants.insert(row_.variant).second;
    if (first) return;
    if (!use.all_explicit) {
      fields_.Refuse("manifest.op_variant_implicit_duplicate", "variant",
                     fmt::format("several rows implement {} and not all name their variant",
                                 Quoted(row_.slot)),
                     "write `variant = \"...\"` in each row of the slot");
    } else if (!fresh) {
      fields_.Refuse("manifest.op_variant_duplicate", "variant",
                     fmt::format("{} has another row with variant {}", Quoted(row_.slot),
                                 Quoted(row_.variant)),
                     "give each row of a slot its own variant");
    }
  }

  void ReadCallables() {
    source_text_ = fields_.Text("source").value_or("");
    if (source_text_.empty()) {
      fields_.Refuse("manifest.op_source_missing", "source", "the row names no source",
                     "write `source = \"kernel.py\"`");
    }
    row_.entry = fields_.Text("entry").value_or("");
    if (!IsPythonIdentifier(row_.entry)) {
      fields_.Refuse("manifest.op_entry_identifier", "entry",
                     fields_.Find("entry") == nullptr
                         ? "the row names no entry"
                         : Quoted(row_.entry) + " is no Python identifier",
                     "name a function of the source, without module or dots");
    } else {
      WarnAboutName("entry", row_.entry);
    }
    row_.prepare = fields_.Text("prepare");
    if (row_.prepare && !IsPythonIdentifier(*row_.prepare)) {
      fields_.Refuse("manifest.op_prepare_identifier", "prepare",
                     Quoted(*row_.prepare) + " is no Python identifier",
                     "name a function of the source, or remove the key");
    }
    row_.setup = fields_.Text("setup");
    if (row_.setup && !IsPythonIdentifier(*row_.setup)) {
      fields_.Refuse("manifest.op_setup_identifier", "setup",
                     Quoted(*row_.setup) + " is no Python identifier",
                     "name a function of the source, or remove the key");
    }
  }

  void WarnAboutName(std::string_view key, const std::string& name) {
    if (IsPythonKeyword(name)) {
      fields_.Warn("manifest.entry_keyword", key,
                   Quoted(name) + " is a Python keyword, which no function can be named",
                   "name a function of the source");
    }
    const bool ascii = std::ranges::all_of(name, [](char c) { return (c & 0x80) == 0; });
    if (!ascii) {
      fields_.Warn("manifest.entry_not_ascii", key,
                   Quoted(name) + " is compared without normalisation, which Python applies",
                   "use an ASCII name");
    }
  }

  void ReadFiles() {
    if (!source_text_.empty()) {
      row_.source = fields_.Path(source_text_, fields_.PathOf("source"), PathUse::kPlain)
                        .value_or(DeclaredPath{});
    }
    if (const auto metadata = fields_.Text("metadata")) {
      row_.metadata = fields_.Path(*metadata, fields_.PathOf("metadata"), PathUse::kPlain);
    }
  }

  void ReadOverride() {
    row_.base_kernel = fields_.Text("base_kernel");
    if (row_.base_kernel && row_.base_kernel->empty()) {
      fields_.Refuse("manifest.op_base_kernel_empty", "base_kernel", "`base_kernel` is blank",
                     "name the kernel, or remove the key");
    }
    row_.override_point = fields_.Text("override_point");
    if (row_.override_point && row_.override_point->empty()) {
      fields_.Refuse("manifest.op_override_point_empty", "override_point",
                     "`override_point` is blank", "name the point, or remove the key");
    } else if (row_.override_point && !row_.base_kernel) {
      fields_.Refuse("manifest.op_override_requires_base", "override_point",
                     "`override_point` needs `base_kernel`",
                     "name the kernel that the point belongs to");
    }
  }

  void ReadCudaSources() {
    const Json* value = fields_.Find("cuda_sources");
    if (value == nullptr) return;
    if (!value->is_array()) {
      fields_.Refuse("manifest.op_cuda_sources_type", "cuda_sources",
                     "`cuda_sources` is a list of paths", "write `cuda_sources = [\"kernel.cu\"]`");
      return;
    }
    const Json::Array& items = value->as_array();
    for (std::size_t i = 0; i < items.size() && !context_.full(); ++i) {
      const std::string_view text =
          items[i].is_string() ? std::string_view(items[i].as_string()) : std::string_view();
      const std::string item_path = JoinIndex(fields_.PathOf("cuda_sources"), i);
      if (auto path = fields_.Path(text, item_path, PathUse::kCuda)) {
        row_.cuda_sources.push_back(std::move(*path));
      }
    }
  }

  void ReadArtifactRows() {
    const std::size_t errors_before = context_.errors.size();
    row_.artifact =
        context_.options.artifact_rows->Check({.slot = row_.slot,
                                               .row_path = row_.key_path,
                                               .resources = fields_.Find("artifact_resources"),
                                               .exports = fields_.Find("aot_exports"),
                                               .mode = context_.options.mode,
                                               .places = context_.places},
                                              context_.errors);
    const bool exports = IsFilledArray("aot_exports");
    const bool sound = context_.errors.size() == errors_before;
    if (IsFilledArray("artifact_resources") && !exports) {
      fields_.Refuse("manifest.resources_without_exports", "artifact_resources",
                     "artifact resources without `aot_exports`",
                     "add the exports that use them, or remove them");
    }
    if (!exports) return;
    if (sound) ProveSpecializations();
    CheckExportConflicts();
  }

  bool IsFilledArray(std::string_view key) const {
    const Json* value = fields_.Find(key);
    return value != nullptr && value->is_array() && !value->as_array().empty();
  }

  void ProveSpecializations() {
    if (fields_.Find("metadata") != nullptr && !row_.metadata) return;  // reported already
    auto capabilities = ReadExactCapabilities(context_.root, row_.metadata);
    if (!capabilities) {
      Error error = std::move(capabilities.error());
      error.where.key_path = fields_.PathOf("metadata");
      context_.errors.push_back(std::move(error));
      return;
    }
    for (const Specialization& needed : row_.artifact.specializations) {
      if (capabilities->Proves(needed)) continue;
      context_.Refuse(
          "manifest.aot_specialization_unproven",
          fmt::format("the row's metadata does not pin {} to {}", Quoted(needed.capability_field),
                      Quoted(DocumentJson(needed.value))),
          context_.places.OfValue(needed.key_path),
          fmt::format("add `\"{}\": {{\"exact\": {}}}` to the capabilities of the "
                      "metadata",
                      needed.capability_field, DocumentJson(needed.value)));
    }
  }

  void CheckExportConflicts() {
    for (const std::string_view key : {"prepare", "setup", "base_kernel", "override_point"}) {
      if (fields_.Find(key) == nullptr) continue;
      fields_.Refuse("manifest.aot_runtime_path_conflict", key,
                     fmt::format("`{}` beside `aot_exports`", key),
                     "a direct row has no Python at run time; remove the key");
    }
    if (IsFilledArray("cuda_sources") && !row_.artifact.takes_cuda_sources) {
      fields_.Refuse("manifest.aot_cuda_conflict", "cuda_sources",
                     "`cuda_sources` beside exports whose provider compiles none",
                     "remove the key, or use a provider that compiles CUDA sources");
    }
  }

  void ReadExtra() {
    for (const std::string& key : fields_.UnknownKeys()) {
      row_.extra.emplace(key, *fields_.Find(key));
      if (context_.options.mode == Mode::kCompat) continue;
      context_.Warn("manifest.op_unknown_key",
                    fmt::format("{} is no key of an op row; it counts as the feature "
                                "`op_extra:...`, which targets refuse",
                                Quoted(key)),
                    context_.places.OfKey(fields_.PathOf(key)),
                    fields_.Suggest(key, "remove the key"));
    }
  }

  ReadingContext& context_;
  const Json::Object& table_;
  TableReader fields_;
  SlotUses& uses_;
  OpRow row_;
  std::string source_text_;
};

}  // namespace

OpRow ReadOpRow(ReadingContext& context, const Json::Object& table, std::string path,
                SlotUses& uses) {
  return OpRowReader(context, table, std::move(path), uses).Run();
}

}  // namespace cacheon::bundle
