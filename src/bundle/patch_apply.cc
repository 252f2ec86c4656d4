// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "cacheon/bundle/patch.h"

namespace cacheon::bundle {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// A wholly empty line of a hunk stands for an empty context line.
char MarkOf(std::string_view line) { return line.empty() ? ' ' : line[0]; }
std::string_view TextOf(std::string_view line) { return line.empty() ? line : line.substr(1); }

class Applier {
 public:
  Applier(const PatchedFile& file, std::string_view original)
      : file_(file), lines_(LinesOf(original)) {}

  Result<std::string> Run() {
    for (const PatchHunk& hunk : file_.hunks) RETURN_IF_ERROR(ApplyHunk(hunk));
    CopyUntil(Count());
    return std::move(result_);
  }

 private:
  std::int64_t Count() const { return static_cast<std::int64_t>(lines_.size()); }

  Place At(std::int64_t index) const {
    return {.file = file_.path,
            .line = static_cast<int>(
                std::clamp<std::int64_t>(index + 1, 1, std::max<std::int64_t>(Count(), 1)))};
  }

  Status ApplyHunk(const PatchHunk& hunk) {
    const std::int64_t start = hunk.old_start - 1;
    if (start < cursor_) {
      return Fail("apply.hunk_order",
                  fmt::format("the hunk of line {} of the patch starts at line {}, before the end "
                              "of the one before",
                              hunk.line, hunk.old_start),
                  At(start), "order hunks by line; a file that exists starts at line 1");
    }
    if (start + hunk.old_count > Count()) {
      return Fail("apply.range",
                  fmt::format("the hunk of line {} of the patch ends behind the file's {} lines",
                              hunk.line, Count()),
                  At(start), "make the patch against the pinned version of the dependency");
    }
    CopyUntil(start);
    for (const std::string& line : hunk.lines) RETURN_IF_ERROR(ApplyLine(line));
    return {};
  }

  Status ApplyLine(std::string_view line) {
    const char mark = MarkOf(line);
    if (mark == '+') {
      result_.append(TextOf(line)) += '\n';
      return {};
    }
    if (lines_[static_cast<std::size_t>(cursor_)] != TextOf(line)) {
      return Fail("apply.context", "the line is not what the patch expects", At(cursor_),
                  "make the patch against the pinned version of the dependency");
    }
    if (mark == ' ') result_.append(TextOf(line)) += '\n';
    ++cursor_;
    return {};
  }

  void CopyUntil(std::int64_t end) {
    for (; cursor_ < end; ++cursor_) {
      result_.append(lines_[static_cast<std::size_t>(cursor_)]) += '\n';
    }
  }

  const PatchedFile& file_;
  std::vector<std::string_view> lines_;
  std::int64_t cursor_ = 0;  // lines of the original that are done
  std::string result_;
};

Result<std::string> CreateFile(const PatchedFile& file) {
  std::string text;
  for (const PatchHunk& hunk : file.hunks) {
    for (const std::string& line : hunk.lines) text.append(TextOf(line)) += '\n';
  }
  return text;
}

}  // namespace

Result<std::string> ApplyPatchedFile(const PatchedFile& file,
                                     std::optional<std::string_view> original) {
  if (file.is_new_file) {
    if (!original) return CreateFile(file);
    return Fail("apply.exists", "the patch creates a file that exists", {.file = file.path},
                "patch the file that is there");
  }
  if (!original) {
    return Fail("apply.missing", "the patch changes a file that does not exist",
                {.file = file.path}, "make the patch against the pinned version of the dependency");
  }
  if (!original->empty() && !original->ends_with('\n')) {
    return Fail("apply.no_trailing_newline", "the file does not end in a line feed",
                {.file = file.path}, "files without a final line feed cannot be patched");
  }
  return Applier(file, *original).Run();
}

Result<std::map<std::string, std::string>> ApplyPatches(std::span<const Patch> patches,
                                                        const DependencyReader& read) {
  std::map<std::string, std::string> changed;
  for (const Patch& patch : patches) {
    for (const PatchedFile& file : patch.files) {
      std::optional<std::string> original;
      if (const auto before = changed.find(file.path); before != changed.end()) {
        original = before->second;
      } else {
        ASSIGN_OR_RETURN(original, read(file.path));
      }
      ASSIGN_OR_RETURN(changed[file.path], ApplyPatchedFile(file, original));
    }
  }
  return changed;
}

}  // namespace cacheon::bundle
