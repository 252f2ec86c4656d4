// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cacheon/bundle/text.h"

namespace cacheon::bundle {
namespace {

constexpr std::string_view kNothing = "/dev/null";

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) lines.push_back(text);
  return lines;
}

bool StartsWithAny(std::string_view line, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return line.starts_with(p); });
}

// Takes `N[,C]` from the front; a missing count is 1. Numbers beyond any file are cut off there.
bool TakeRange(std::string_view& text, std::int64_t& start, std::int64_t& count) {
  const auto take_number = [&](std::int64_t& number) {
    constexpr std::int64_t kBeyondAnyFile = 1'000'000'000'000;
    std::size_t digits = 0;
    number = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
      number = std::min(number * 10 + (text[digits] - '0'), kBeyondAnyFile);
    }
    text.remove_prefix(digits);
    return digits > 0;
  };
  if (!take_number(start)) return false;
  count = 1;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  return take_number(count);
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<PatchHunk> ParseHunkHeader(std::string_view line) {
  PatchHunk hunk;
  if (!TakePrefix(line, "@@ -") || !TakeRange(line, hunk.old_start, hunk.old_count) ||
      !TakePrefix(line, " +") || !TakeRange(line, hunk.new_start, hunk.new_count) ||
      !line.starts_with(" @@")) {
    return std::nullopt;
  }
  return hunk;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(SplitLines(text)) {}

  Result<Patch> Run() {
    while (next_ < lines_.size()) {
      if (lines_[next_].starts_with("--- ")) {
        RETURN_IF_ERROR(ParseFile());
      } else {
        RETURN_IF_ERROR(SkipHeader());
      }
    }
    if (patch_.files.empty()) {
      return Fail("patch.empty", "the patch changes no file", {.line = 1, .column = 1},
                  "write a unified diff with `---`, `+++` and `@@` lines");
    }
    return std::move(patch_);
  }

 private:
  Place Here() const { return {.line = static_cast<int>(next_) + 1, .column = 1}; }

  Status SkipHeader() {
    const std::string_view line = lines_[next_];
    if (StartsWithAny(line, {"GIT binary patch", "Binary files "})) {
      return Fail("patch.binary", "binary patches cannot be reviewed", Here(), "patch text files");
    }
    if (StartsWithAny(line, {"rename from ", "rename to "})) {
      return Fail("patch.rename", "a patch may not rename", Here(), "change the file in place");
    }
    if (StartsWithAny(line, {"copy from ", "copy to "})) {
      return Fail("patch.copy", "a patch may not copy", Here(), "write the new file out");
    }
    if (line.starts_with("\\ No newline at end of file")) {
      return Fail("patch.no_eol_marker", "patched files end in a line feed", Here(),
                  "end the file with a line feed and make the patch again");
    }
    if (!line.empty() &&
        !StartsWithAny(line, {"diff ", "index ", "new file mode", "old mode ", "new mode "})) {
      return Fail("patch.stray_line", "a line that belongs to no file or hunk", Here(),
                  "keep only what `git diff` writes");
    }
    ++next_;
    return {};
  }

  // The path behind `--- ` or `+++ `: up to the first tab, trimmed.
  std::string_view HeaderPath(std::size_t index) const {
    const std::string_view text = lines_[index].substr(4);
    return Trim(text.substr(0, text.find('\t')));
  }

  Result<std::string> StripPrefix(std::string_view path, std::string_view prefix) const {
    if (!TakePrefix(path, prefix)) {
      return Fail("patch.prefix", fmt::format("{} does not start with `{}`", Quoted(path), prefix),
                  Here(), "make the patch with `git diff`, whose paths start with a/ and b/");
    }
    if (path.empty() || path.starts_with('/') || path.find('\\') != std::string_view::npos ||
        path.find('\0') != std::string_view::npos) {
      return Fail("patch.path", Quoted(path) + " is no relative path with '/'", Here(),
                  "name a file relative to the dependency's root");
    }
    for (std::string_view rest = path;;) {
      const std::size_t slash = rest.find('/');
      const std::string_view component = rest.substr(0, slash);
      if (component.empty() || component == "." || component == "..") {
        return Fail("patch.path_component", Quoted(path) + " has an empty, `.` or `..` component",
                    Here(), "write the path in its shortest form");
      }
      if (slash == std::string_view::npos) return std::string(path);
      rest.remove_prefix(slash + 1);
    }
  }

  Result<PatchedFile> ParseFileHeader() {
    const std::string_view old_path = HeaderPath(next_);
    PatchedFile file{.is_new_file = old_path == kNothing, .line = static_cast<int>(next_) + 1};
    if (next_ + 1 == lines_.size() || !lines_[next_ + 1].starts_with("+++ ")) {
      return Fail("patch.missing_plus", "`---` without `+++` on the next line", Here(),
                  "keep both lines");
    }
    const std::string_view new_path = HeaderPath(next_ + 1);
    if (new_path == kNothing) {
      return Fail("patch.delete", "a patch may not delete", Here(), "change the file in place");
    }
    std::string old_name;
    if (!file.is_new_file) {
      ASSIGN_OR_RETURN(old_name, StripPrefix(old_path, "a/"));
    }
    ASSIGN_OR_RETURN(file.path, StripPrefix(new_path, "b/"));
    if (!file.is_new_file && old_name != file.path) {
      return Fail("patch.rename", fmt::format("{} becomes {}", Quoted(old_name), Quoted(file.path)),
                  Here(), "change the file in place");
    }
    if (!seen_.insert(file.path).second) {
      return Fail("patch.duplicate_file", Quoted(file.path) + " appears twice", Here(),
                  "put all hunks of a file into one section");
    }
    next_ += 2;
    return file;
  }

  Status ParseFile() {
    const Place start = Here();
    ASSIGN_OR_RETURN(PatchedFile file, ParseFileHeader());
    while (next_ < lines_.size()) {
      std::optional<PatchHunk> hunk = ParseHunkHeader(lines_[next_]);
      if (!hunk) break;
      hunk->line = static_cast<int>(next_) + 1;
      const Place hunk_place = Here();
      ++next_;
      RETURN_IF_ERROR(ParseHunkBody(*hunk, hunk_place));
      if (file.is_new_file && (hunk->old_start != 0 || hunk->old_count != 0)) {
        return Fail("patch.new_file_range", "a hunk of a new file starts at `-0,0`", hunk_place,
                    "a new file has no old lines");
      }
      file.hunks.push_back(std::move(*hunk));
    }
    if (file.hunks.empty()) {
      return Fail("patch.no_hunks", Quoted(file.path) + " has no hunk", start,
                  "a section holds at least one `@@ -N,C +N,C @@` with its lines");
    }
    if (file.is_new_file && file.hunks.size() != 1) {
      return Fail("patch.new_file_hunks", "a new file has exactly one hunk", start,
                  "put all lines into one hunk");
    }
    patch_.files.push_back(std::move(file));
    return {};
  }

  Status ParseHunkBody(PatchHunk& hunk, const Place& hunk_place) {
    std::int64_t old_lines = 0;
    std::int64_t new_lines = 0;
    while (next_ < lines_.size() && (old_lines < hunk.old_count || new_lines < hunk.new_count)) {
      const std::string_view line = lines_[next_];
      const char mark = line.empty() ? ' ' : line[0];
      if (mark != ' ' && mark != '-' && mark != '+') {
        return Fail("patch.hunk_line", "a line of a hunk starts with ' ', '-' or '+'", Here(),
                    "check the counts in the hunk's header");
      }
      if (mark != '+') ++old_lines;
      if (mark != '-') ++new_lines;
      hunk.lines.emplace_back(line);
      ++next_;
    }
    if (old_lines != hunk.old_count || new_lines != hunk.new_count) {
      return Fail("patch.hunk_count",
                  fmt::format("the header promises {} old and {} new lines, the body has {} and {}",
                              hunk.old_count, hunk.new_count, old_lines, new_lines),
                  hunk_place, "make the patch again instead of editing it");
    }
    return {};
  }

  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  Patch patch_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace

Result<Patch> ParsePatch(std::string_view text) { return Parser(text).Run(); }

std::string UniversalNewlines(std::string text) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool carriage_return = text[i] == '\r';
    if (carriage_return && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[kept++] = carriage_return ? '\n' : text[i];
  }
  text.resize(kept);
  return text;
}

}  // namespace cacheon::bundle
