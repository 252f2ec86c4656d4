// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/report/markup.h"

#include "cacheon/core/utf8.h"

namespace cacheon::report {
namespace {

// U+FFFE and U+FFFF, which are UTF-8 and no characters of XML.
bool IsNonCharacter(std::string_view rest) {
  return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
}

}  // namespace

std::string Markup(std::string_view text) {
  const std::string printable = Printable(text);
  std::string out;
  for (std::size_t i = 0; i < printable.size(); ++i) {
    const char c = printable[i];
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if (IsNonCharacter(std::string_view(printable).substr(i))) {
      out += "\xEF\xBF\xBD";  // U+FFFD
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string MarkupLines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += Markup(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace cacheon::report
