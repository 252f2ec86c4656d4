// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cacheon/bundle/manifest.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/slots/slot.h"
#include "src/cli/templates.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSource = "kernel.py";
constexpr mode_t kFolderMode = 0777;  // less the umask, as mkdir(1) makes one

struct Template {
  std::string_view slot;
  std::string_view (*text)();
};

constexpr std::array kTemplates = {
    Template{"activation.silu_and_mul", SiluAndMulTemplate},
    Template{"norm.rmsnorm", RmsNormTemplate},
    Template{"attention.sdpa", SdpaTemplate},
    Template{"attention.decode", DecodeTemplate},
    Template{"attention.msa_block_score", MsaBlockScoreTemplate},
    Template{"attention.msa_prefill_block_score", MsaPrefillTemplate},
    Template{"moe.fused_experts", FusedExpertsTemplate},
    Template{"moe.fused_experts_reduce", FusedExpertsReduceTemplate},
    Template{"collective.all_reduce", AllReduceTemplate},
    Template{"collective.ar_residual_rmsnorm", ArResidualRmsNormTemplate},
    Template{"collective.moe_finalize_ar_rmsnorm", MoeFinalizeTemplate},
};

std::string ManifestText(const slots::Contract& contract) {
  std::string id(contract.id.substr(contract.id.find('.') + 1));
  std::ranges::replace(id, '_', '-');
  return fmt::format(
      "# A name of your own for this bundle.\n"
      "bundle_id = \"{}\"\n"
      "abi_version = \"{}\"\n"
      "\n"
      "[competition]\n"
      "target = \"{}\"\n"
      "mode = \"slot\"\n"
      "\n"
      "[[ops]]\n"
      "slot = \"{}\"\n"
      "source = \"{}\"\n"
      "entry = \"{}\"\n"
      "{}"
      "dtypes = [\"bfloat16\", \"float16\", \"float32\"]\n"
      "# architectures = [\"sm90\"]  # without it, the row serves every device\n",
      id, bundle::kAbiVersion, contract.id, contract.id, kSource, contract.entry,
      contract.has_prepare() ? "prepare = \"prepare\"\n" : "");
}

Error CannotCreate(const std::string& directory, std::string_view what) {
  return FailErrno("io.write", what, errno).error().At({.file = directory});
}

// A folder beside its final place, removed unless it is moved there.
class NewFolder {
 public:
  explicit NewFolder(const std::string& final_path)
      : path_(final_path + ".XXXXXX"), made_(mkdtemp(path_.data()) != nullptr) {}
  ~NewFolder() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;  // it owns the folder
  NewFolder& operator=(const NewFolder&) = delete;

  bool made() const { return made_; }
  const std::string& path() const { return path_; }

  // Fails with errno when something that is no empty folder is in the way.
  bool MoveTo(const std::string& final_path) {
    const mode_t mask = umask(0);
    umask(mask);
    const bool moved = chmod(path_.c_str(), kFolderMode & ~mask) == 0 &&
                       rename(path_.c_str(), final_path.c_str()) == 0;
    made_ = !moved;
    return moved;
  }

 private:
  std::string path_;
  bool made_;
};

Status WriteBundle(const slots::Contract& contract, std::string_view source,
                   const std::string& directory) {
  NewFolder folder(directory);
  if (!folder.made()) return Fail(CannotCreate(directory, "cannot create the folder"));
  RETURN_IF_ERROR(WriteFileAtomically(folder.path() + "/" + std::string(bundle::kManifestFile),
                                      ManifestText(contract)));
  RETURN_IF_ERROR(WriteFileAtomically(folder.path() + "/" + std::string(kSource), source));
  if (folder.MoveTo(directory)) return {};
  if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) {
    return Fail("usage.not_empty", "something is there already", {.file = directory},
                "name a folder that is new or empty");
  }
  return Fail(CannotCreate(directory, "cannot create the folder"));
}

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string name = arguments.Positional(0);
  const slots::Slot* slot = slots::FindSlot(name);
  if (slot == nullptr) {
    return Fail("usage.unknown_slot", fmt::format("no slot is called `{}`", name), {},
                "`cacheon slots` lists the slots");
  }
  const auto source = std::ranges::find(kTemplates, slot->contract().id, &Template::slot);
  CACHEON_CHECK(source != kTemplates.end(), "a slot has no template");
  std::string directory = arguments.Positional(1);
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  RETURN_IF_ERROR(WriteBundle(slot->contract(), source->text(), directory));
  RETURN_IF_ERROR(
      Print(fmt::format("{}/{}\n{}/{}\n", directory, bundle::kManifestFile, directory, kSource)));
  fmt::print(stderr, "next: cacheon verify {}\n", directory);
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kNew = {
    .name = "new",
    .summary = "writes a bundle to start from: it scans clean and passes verify",
    .positionals = {{"SLOT", "a slot"}, {"DIR", "a folder that is new or empty"}},
    .flags = {{"--lang", FlagKind::kValue, "LANG", "what the kernel is written in", {"python"}}},
    .run = Run};

}  // namespace cacheon::cli
