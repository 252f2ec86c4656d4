// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/conformance/artifact_cases.h"

#include <charconv>
#include <limits>

#include "cacheon/artifact/hex_float.h"
#include "cacheon/artifact/row_checker.h"
#include "cacheon/core/sha256.h"

namespace cacheon::conformance {
namespace {

using artifact::ExprValue;
using artifact::LiveValue;
using artifact::TypedScalar;

// `EX_ARITY` becomes `ex.arity`: lower case, the first underscore a dot.
std::string DottedCode(std::string_view code) {
  std::string dotted;
  for (const char c : code) {
    const bool upper = c >= 'A' && c <= 'Z';
    dotted += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const std::size_t underscore = dotted.find('_');
  if (underscore != std::string::npos) dotted[underscore] = '.';
  return dotted;
}

// The recorded code that counts: an equally right one when it is the one that we give.
std::string ExpectedCode(const Json& the_case, std::string_view got) {
  std::vector<std::string> also = TextsOf(the_case, "code_also");
  if (FieldOf(the_case, "code_also").is_string()) also.push_back(TextOf(the_case, "code_also"));
  for (const std::string& code : also) {
    if (CodesAgree(DottedCode(code), got)) return DottedCode(code);
  }
  return DottedCode(TextOf(the_case, "code"));
}

// A float's text: the normalised spelling, or an infinity where that is the point of a case.
Result<double> ReadHex(const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const artifact::HexFloatResult parsed = artifact::ParseHexFloat(text);
  if (parsed.fault) return Fail("conformance.form", "no normalised float: " + text);
  return parsed.value;
}

// An integer that is a number or a decimal text, within int64 or uint64.
Result<TypedScalar> ReadInteger(const Json& value) {
  const std::string text = value.is_string() ? value.as_string() : DocumentJson(value);
  const char* end = text.data() + text.size();
  std::int64_t small = 0;
  if (std::from_chars(text.data(), end, small).ptr == end &&
      std::from_chars(text.data(), end, small).ec == std::errc()) {
    return TypedScalar(small);
  }
  std::uint64_t large = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, large);
  if (stop == end && error == std::errc()) return TypedScalar(large);
  return Fail("conformance.form", "no 64-bit integer: " + text);
}

std::vector<std::int64_t> Integers(const Json& object, std::string_view key) {
  std::vector<std::int64_t> integers;
  for (const Json& item : ItemsOf(object, key)) {
    integers.push_back(item.is_int64() ? item.as_int64() : -1);
  }
  return integers;
}

Result<LiveValue> ReadTensor(const Json& value) {
  ASSIGN_OR_RETURN(const TypedScalar address, ReadInteger(FieldOf(value, "address")));
  const std::vector<std::int64_t> shape = Integers(value, "shape");
  std::vector<std::int64_t> stride = Integers(value, "stride");
  if (FieldOf(value, "stride").is_null()) {
    const auto contiguous = artifact::ContiguousStride(shape);
    stride.assign(contiguous.begin(),
                  contiguous.begin() + static_cast<std::ptrdiff_t>(shape.size()));
  }
  const Json& offset = FieldOf(value, "storage_offset");
  const Json& element = FieldOf(value, "element_size");
  const auto* wide = std::get_if<std::uint64_t>(&address);
  ASSIGN_OR_RETURN(
      artifact::LiveTensor tensor,
      artifact::MakeLiveTensor(
          wide != nullptr ? *wide : static_cast<std::uint64_t>(std::get<std::int64_t>(address)),
          shape, stride, element.is_int64() ? element.as_int64() : 0,
          offset.is_int64() ? offset.as_int64() : 0));
  return LiveValue(tensor);
}

}  // namespace

CaseResult CompareOk(const Json& the_case, std::string name, const Json& expected,
                     const Result<Json>& got) {
  if (!FlagOf(the_case, "ok")) {
    const std::string code = ExpectedCode(the_case, got ? "" : got.error().code.text());
    return CompareReject(std::move(name), code, got ? nullptr : &got.error());
  }
  if (!got) return Differs(std::move(name), "accept", FormatError(got.error()));
  return CompareJson(std::move(name), expected, *got);
}

Result<std::vector<CaseResult>> RunLists(const Json& document, const std::vector<CaseList>& lists) {
  if (!document.is_object()) return Fail("conformance.form", "the file holds no object");
  std::vector<CaseResult> results;
  for (const CaseList& list : lists) RunList(document, list.list, list.run, results);
  return results;
}

Json Pick(const Json& the_case, std::initializer_list<std::string_view> keys) {
  Json::Object picked;
  for (const std::string_view key : keys) picked[std::string(key)] = FieldOf(the_case, key);
  return picked;
}

Result<TypedScalar> ReadTypedScalar(const Json& value) {
  const std::string& type = TextOf(value, "type");
  if (type == "bool") return TypedScalar(FlagOf(value, "value"));
  if (type == "int") return ReadInteger(FieldOf(value, "value"));
  ASSIGN_OR_RETURN(const double number, ReadHex(TextOf(value, "hex")));
  return TypedScalar(number);
}

Json TypedValue(const ExprValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    return Json::Object{{"type", "bool"}, {"value", *flag}};
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return Json::Object{{"type", "int"}, {"value", std::to_string(*integer)}};
  }
  return Json::Object{{"hex", artifact::HexFloat(std::get<double>(value))}, {"type", "float"}};
}

Result<LiveValue> ReadLiveValue(const Json& value) {
  const std::string& kind = TextOf(value, "kind");
  if (kind == "tensor") return ReadTensor(value);
  if (kind == "bool") return LiveValue(FlagOf(value, "value"));
  if (kind == "float") {
    ASSIGN_OR_RETURN(const double number, ReadHex(TextOf(value, "hex")));
    return LiveValue(number);
  }
  ASSIGN_OR_RETURN(const TypedScalar integer, ReadInteger(FieldOf(value, "value")));
  if (const auto* wide = std::get_if<std::uint64_t>(&integer)) return LiveValue(*wide);
  return LiveValue(std::get<std::int64_t>(integer));
}

Result<std::vector<LiveValue>> ReadLiveFrame(const Json& frame) {
  if (!frame.is_array()) return Fail("conformance.form", "a frame is no list");
  std::vector<LiveValue> values;
  for (const Json& value : frame.as_array()) {
    ASSIGN_OR_RETURN(LiveValue live, ReadLiveValue(value));
    values.push_back(live);
  }
  return values;
}

Result<bundle::Manifest> ReadCaseBundle(const Json& document, const Json& the_case) {
  ASSIGN_OR_RETURN(const ScratchTree tree, ScratchTree::Create());
  RETURN_IF_ERROR(tree.Populate(document));
  RETURN_IF_ERROR(tree.Populate(the_case));
  if (const Json* text = the_case.Find("manifest_toml"); text != nullptr && text->is_string()) {
    RETURN_IF_ERROR(tree.WriteFile("manifest.toml", text->as_string()));
  }
  if (const Json* metadata = the_case.Find("metadata_json")) {
    RETURN_IF_ERROR(tree.WriteFile(
        "meta.json", metadata->is_string() ? metadata->as_string() : DocumentJson(*metadata)));
  }
  const artifact::RowChecker checker;
  bundle::ManifestReading reading =
      bundle::ReadManifest(tree.root(), {.mode = bundle::Mode::kCompat, .artifact_rows = &checker});
  if (!reading.errors.empty()) return Fail(std::move(reading.errors[0]));
  return *std::move(reading.manifest);
}

Result<const artifact::OpArtifact*> ArtifactOfSlot(const bundle::Manifest& manifest,
                                                   std::string_view slot) {
  for (const bundle::OpRow& row : manifest.ops) {
    const artifact::OpArtifact* found = artifact::DirectArtifactOf(row.artifact);
    if (row.slot == slot && found != nullptr) return found;
  }
  return Fail("conformance.form", "the bundle has no direct row of the slot");
}

std::string HexOf(std::span<const std::byte> bytes) { return ToHex(bytes); }

}  // namespace cacheon::conformance
