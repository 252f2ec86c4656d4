// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "cacheon/core/code.h"
#include "cacheon/core/json.h"
#include "cacheon/core/utf8.h"

namespace cacheon {

Error&& Error::At(Place place) && {
  where = std::move(place);
  return std::move(*this);
}

Error&& Error::InFile(std::string_view file) && {
  if (where.file.empty()) where.file = file;
  return std::move(*this);
}

Error&& Error::Hint(std::string_view text) && {
  hint = text;
  return std::move(*this);
}

Error&& Error::While(std::string_view what) && {
  context.emplace_back(what);
  return std::move(*this);
}

std::string FormatPlace(const Place& place) {
  std::string text = Printable(place.file);
  if (place.line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  if (!place.key_path.empty()) {
    if (!text.empty()) text += ": ";
    text += Printable(place.key_path);
  }
  return text;
}

std::string FormatError(const Error& error) {
  std::string text(error.code.text());
  text += ": ";
  if (const std::string place = FormatPlace(error.where); !place.empty()) text += place + ": ";
  for (const std::string& context : error.context) text += "while " + Printable(context) + ": ";
  text += Printable(error.message);
  std::string_view hint = error.hint;
  while (!hint.empty()) {
    const std::size_t end = std::min(hint.find('\n'), hint.size());
    text += "\n    " + Printable(hint.substr(0, end));
    hint.remove_prefix(std::min(end + 1, hint.size()));
  }
  return text;
}

Json ErrorToJson(const Error& error) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  const auto number_or_null = [](int number) { return number > 0 ? Json(number) : Json(); };
  std::string message = error.message;
  for (const std::string& context : error.context) message += " (while " + context + ")";
  Json json =
      Json::Object{{"code", error.code.text()},
                   {"severity", SeverityName(error.severity)},
                   {"where", Json::Object{{"file", text_or_null(error.where.file)},
                                          {"line", number_or_null(error.where.line)},
                                          {"column", number_or_null(error.where.column)},
                                          {"key_path", text_or_null(error.where.key_path)}}},
                   {"message", message},
                   {"hint", error.hint}};
  if (!error.symbol.empty()) json["symbol"] = error.symbol;
  return json;
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

std::string_view FaultName(Fault fault) {
  switch (fault) {
    case Fault::kCandidate:
      return "candidate";
    case Fault::kUsage:
      return "usage";
    case Fault::kEnvironment:
      return "environment";
    case Fault::kInternal:
      return "internal";
  }
  return "internal";
}

ExitStatus StatusOf(const Error& error) {
  const CodePage* page = FindCodePage(error.code.text());
  if (page == nullptr) return ExitStatus::kInternal;
  switch (page->fault) {
    case Fault::kCandidate:
      return ExitStatus::kRefused;
    case Fault::kUsage:
      return ExitStatus::kUsage;
    case Fault::kEnvironment:
      return ExitStatus::kEnvironment;
    case Fault::kInternal:
      return ExitStatus::kInternal;
  }
  return ExitStatus::kInternal;
}

ExitStatus Combine(ExitStatus a, ExitStatus b) { return std::max(a, b); }

}  // namespace cacheon
