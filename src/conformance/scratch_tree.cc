// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "cacheon/conformance.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::conformance {
namespace {

// Value of a base64 digit, or 64 when it is none.
constexpr std::uint32_t DigitValue(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return 64;
}

// Calls `write(path, text)` for every member of the object `value`, which may be absent.
template <typename Write>
Status ForEachMember(const Json* value, Write write) {
  if (value == nullptr || !value->is_object()) return {};
  for (const auto& [path, text] : value->as_object()) {
    if (!text.is_string()) return Fail("conformance.form", "a file's content is no string");
    RETURN_IF_ERROR(write(path, text.as_string()));
  }
  return {};
}

}  // namespace

Result<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0)
    return Fail("conformance.form", "base64 of a length that is no multiple of 4");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    int padding = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const char c = text[i + j];
      const bool last_group = i + 4 == text.size();
      if (c == '=' && last_group && j >= 2) {
        ++padding;
        group <<= 6U;
        continue;
      }
      if (padding > 0 || DigitValue(c) == 64) return Fail("conformance.form", "not base64");
      group = group << 6U | DigitValue(c);
    }
    for (int j = 0; j < 3 - padding; ++j) {
      bytes += static_cast<char>(group >> (16U - 8U * static_cast<unsigned>(j)));
    }
  }
  return bytes;
}

Result<ScratchTree> ScratchTree::Create() {
  std::error_code error;
  std::string root =
      (std::filesystem::temp_directory_path(error) / "cacheon-vectors-XXXXXX").string();
  if (error || mkdtemp(root.data()) == nullptr)
    return FailErrno("io.write", "cannot make a scratch folder", errno);
  return ScratchTree(std::move(root));
}

ScratchTree& ScratchTree::operator=(ScratchTree&& other) noexcept {
  std::swap(root_, other.root_);
  return *this;
}

ScratchTree::~ScratchTree() {
  std::error_code ignored;
  if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
}

Status ScratchTree::Populate(const Json& the_case) const {
  RETURN_IF_ERROR(ForEachMember(
      the_case.Find("files"),
      [&](const std::string& path, const std::string& text) { return WriteFile(path, text); }));
  const auto write_bytes = [&](const std::string& path, const std::string& base64) -> Status {
    ASSIGN_OR_RETURN(const std::string bytes, DecodeBase64(base64));
    return WriteFile(path, bytes);
  };
  RETURN_IF_ERROR(ForEachMember(the_case.Find("files_base64"), write_bytes));
  if (const Json* text = the_case.Find("manifest"); text != nullptr && text->is_string()) {
    RETURN_IF_ERROR(WriteFile("manifest.toml", text->as_string()));
  }
  if (const Json* base64 = the_case.Find("manifest_base64");
      base64 != nullptr && base64->is_string()) {
    RETURN_IF_ERROR(write_bytes("manifest.toml", base64->as_string()));
  }
  return ForEachMember(the_case.Find("symlinks"),
                       [&](const std::string& path, const std::string& target) {
                         return WriteSymlink(path, target);
                       });
}

Status ScratchTree::WriteFile(std::string_view path, std::string_view content) const {
  const std::filesystem::path full = std::filesystem::path(root_) / path;
  std::error_code error;
  std::filesystem::create_directories(full.parent_path(), error);
  const UniqueFd fd(open(full.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return FailErrno("io.write", fmt::format("cannot create {}", path), errno);
  return WriteAll(fd.get(), content);
}

Status ScratchTree::WriteSymlink(std::string_view path, std::string_view target) const {
  const std::filesystem::path full = std::filesystem::path(root_) / path;
  std::error_code error;
  std::filesystem::create_directories(full.parent_path(), error);
  std::filesystem::create_symlink(target, full, error);
  if (error) return Fail("io.write", fmt::format("cannot link {}: {}", path, error.message()));
  return {};
}

Status ScratchTree::MakeDirectory(std::string_view path) const {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(root_) / path, error);
  if (error) return Fail("io.write", fmt::format("cannot make {}: {}", path, error.message()));
  return {};
}

}  // namespace cacheon::conformance
