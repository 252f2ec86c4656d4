// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// slots/nvfp4.json: the NVFP4 codec and its layouts. The kind of a case is the start of its name.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "cacheon/tensor/dtype.h"
#include "cacheon/tensor/nvfp4.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/case_tensors.h"
#include "src/conformance/file_kinds.h"
#include "src/conformance/slot_cases.h"

namespace cacheon::conformance {
namespace {

// Products of an outer scale are rounded to float32; everything else is exact.
constexpr double kOuterTolerance = 1e-6;

const Json& DataOf(const Json& object, std::string_view key) {
  return FieldOf(FieldOf(object, key), "data");
}

// -1 for what is no integer: no size, row, column or offset is.
std::int64_t IntegerOf(const Json& object, std::string_view key) {
  const Json& value = FieldOf(object, key);
  return value.is_int64() ? value.as_int64() : -1;
}

template <typename T>
std::vector<double> Doubles(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

// Both lists, compared; `what` names them in a difference.
CaseResult CompareNumbers(std::string name, std::string_view what,
                          const std::vector<double>& expected, const std::vector<double>& got,
                          double tolerance = 0) {
  const std::ptrdiff_t at = FirstDifference(expected, got, tolerance);
  if (at < 0 && !expected.empty()) return Agrees(std::move(name));
  const auto text = [&](const std::vector<double>& list) {
    const auto position = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at, 0));
    return position < list.size() ? fmt::format("{}[{}] = {}", what, position, list[position])
                                  : fmt::format("{} of {} numbers", what, list.size());
  };
  return Differs(std::move(name), text(expected), text(got));
}

bool Agreed(const CaseResult& result) { return result.agreement == Agreement::kAgree; }

CaseResult RunE2M1Table(const Json& the_case, std::string name) {
  std::vector<double> got;
  for (const std::uint8_t code : BytesOf(FieldOf(the_case, "codes"))) {
    got.push_back(tensor::FromFloat4E2M1(code));
  }
  return CompareNumbers(std::move(name), "values", NumbersOf(FieldOf(the_case, "values")), got);
}

CaseResult RunE4M3Table(const Json& the_case, std::string name) {
  std::vector<double> got;
  for (unsigned code = 0; code < 256; ++code) {
    got.push_back(tensor::FromFloat8E4M3(static_cast<std::uint8_t>(code)));
  }
  return CompareNumbers(std::move(name), "values", NumbersOf(FieldOf(the_case, "values")), got);
}

CaseResult RunE4M3Encode(const Json& the_case, std::string name) {
  std::vector<double> got;
  for (const float value : FloatsOf(FieldOf(the_case, "input"))) {
    got.push_back(tensor::ToFloat8E4M3(value));
  }
  return CompareNumbers(std::move(name), "bytes", NumbersOf(FieldOf(the_case, "bytes")), got);
}

CaseResult RunSwizzle(const Json& the_case, std::string name) {
  const Result<tensor::SwizzledShape> shape =
      tensor::SwizzledScaleShape(IntegerOf(the_case, "rows"), IntegerOf(the_case, "cols"));
  if (!shape) return Differs(std::move(name), "a layout", FormatError(shape.error()));
  std::vector<double> expected = NumbersOf(FieldOf(the_case, "padded"));
  std::vector<double> got = Doubles(std::vector<std::int64_t>{shape->rows, shape->columns});
  for (const Json& point : ItemsOf(the_case, "points")) {
    expected.push_back(static_cast<double>(IntegerOf(point, "offset")));
    got.push_back(static_cast<double>(
        tensor::SwizzledScaleOffset(IntegerOf(point, "r"), IntegerOf(point, "c"), *shape)));
  }
  return CompareNumbers(std::move(name), "padded and points", expected, got);
}

CaseResult RunQuantize(const Json& the_case, std::string name) {
  const std::vector<float> weight = FloatsOf(DataOf(the_case, "weight"));
  const std::vector<std::int64_t> shape = IntegersOf(FieldOf(FieldOf(the_case, "weight"), "shape"));
  if (shape.size() != 2 || shape[1] <= 0 || shape[1] % tensor::kNvfp4Block != 0 ||
      weight.size() % static_cast<std::size_t>(shape[1]) != 0) {
    return Differs(std::move(name), "a matrix of whole blocks", "another shape");
  }
  std::vector<std::uint8_t> packed(weight.size() / 2);
  std::vector<std::uint8_t> scales(weight.size() / tensor::kNvfp4Block);
  std::vector<float> back(weight.size());
  Status status = tensor::QuantizeNvfp4(weight, shape[1], packed, scales);
  if (status) status = tensor::DequantizeNvfp4(packed, scales, shape[1], 1.0F, back);
  if (!status) return Differs(std::move(name), "a matrix", FormatError(status.error()));
  const std::array results = {
      CompareNumbers(name, "packed", NumbersOf(DataOf(the_case, "packed")), Doubles(packed)),
      CompareNumbers(name, "block_scale_e4m3", NumbersOf(DataOf(the_case, "block_scale_e4m3")),
                     Doubles(scales)),
      CompareNumbers(name, "dequant_f64", NumbersOf(DataOf(the_case, "dequant_f64")),
                     Doubles(back))};
  const auto* bad = std::ranges::find_if_not(results, Agreed);
  return bad == results.end() ? Agrees(std::move(name)) : *bad;
}

CaseResult RunInterleave(const Json& the_case, std::string name) {
  const Result<std::vector<std::int64_t>> rows =
      tensor::InterleavedRowSources(IntegerOf(the_case, "I"));
  if (!rows) return Differs(std::move(name), "an order of rows", FormatError(rows.error()));
  return CompareNumbers(std::move(name), "interleaved_row_source",
                        NumbersOf(FieldOf(the_case, "interleaved_row_source")), Doubles(*rows));
}

// Expert 0, row 0 of a weight of a tagged layer; empty when the view is malformed.
std::vector<double> FirstRow(const Json& view, std::string_view weight, float outer) {
  const std::vector<std::int64_t> shape = IntegersOf(FieldOf(FieldOf(view, weight), "shape"));
  const std::vector<std::uint8_t> bytes = BytesOf(DataOf(view, weight));
  if (shape.size() != 3 || shape[2] <= 0 || shape[2] % (tensor::kNvfp4Block / 2) != 0 ||
      static_cast<std::size_t>(shape[2]) > bytes.size()) {
    return {};
  }
  const std::int64_t columns = shape[2] * 2;
  const std::int64_t blocks = columns / tensor::kNvfp4Block;
  const Result<tensor::SwizzledShape> padded = tensor::SwizzledScaleShape(shape[1], blocks);
  if (!padded) return {};
  std::vector<std::uint8_t> scales(static_cast<std::size_t>(blocks), 0);
  const Json& swizzled = FieldOf(view, fmt::format("{}_scale_swizzled", weight));
  for (const Json& entry : ItemsOf(swizzled, "nonzero")) {
    const std::vector<std::int64_t> place = IntegersOf(entry);  // expert, offset, byte
    if (place.size() != 3 || place[0] != 0) continue;
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (tensor::SwizzledScaleOffset(0, block, *padded) == place[1]) {
        scales[static_cast<std::size_t>(block)] = static_cast<std::uint8_t>(place[2]);
      }
    }
  }
  std::vector<float> row(static_cast<std::size_t>(columns));
  const std::span first(bytes.data(), static_cast<std::size_t>(shape[2]));
  if (!tensor::DequantizeNvfp4(first, scales, columns, outer, row)) return {};
  return Doubles(row);
}

float FirstFloat(const Json& view, std::string_view key) {
  const std::vector<float> values = FloatsOf(DataOf(view, key));
  return values.empty() ? 0 : values.front();
}

CaseResult RunLayer(const Json& the_case, std::string name) {
  const Json& view = FieldOf(the_case, "view");
  const float outer13 = FirstFloat(view, "g1_alphas") * FirstFloat(view, "w13_input_scale_quant");
  const float outer2 = FirstFloat(view, "g2_alphas") * FirstFloat(view, "w2_input_scale_quant");
  const std::vector<double> w13 = FirstRow(view, "w13_weight", outer13);
  const std::vector<double> w2 = FirstRow(view, "w2_weight", outer2);
  const std::array results = {
      CompareNumbers(name, "w13_dequant_row0_f64",
                     NumbersOf(DataOf(the_case, "w13_dequant_row0_f64")), w13, kOuterTolerance),
      CompareNumbers(name, "w2_dequant_row0_f64",
                     NumbersOf(DataOf(the_case, "w2_dequant_row0_f64")), w2, kOuterTolerance)};
  const auto* bad = std::ranges::find_if_not(results, Agreed);
  if (bad != results.end()) return *bad;
  return CompareNvfp4Forward(the_case, name);
}

struct Kind {
  std::string_view prefix;
  CaseResult (*run)(const Json& the_case, std::string name);
};

constexpr std::array kKinds = {
    Kind{"e2m1_table", RunE2M1Table},
    Kind{"e4m3_decode_table", RunE4M3Table},
    Kind{"e4m3_encode_rne", RunE4M3Encode},
    Kind{"swizzle_offsets_", RunSwizzle},
    Kind{"quantize_and_dequantize_", RunQuantize},
    Kind{"nvfp4_layer_", RunLayer},
    Kind{"w13_interleave_", RunInterleave},
};

CaseResult RunCase(const Json& the_case, std::string name) {
  const auto* kind = std::ranges::find_if(
      kKinds, [&](const Kind& candidate) { return name.starts_with(candidate.prefix); });
  if (kind != kKinds.end()) return kind->run(the_case, std::move(name));
  return Differs(std::move(name), "a case of a known kind", "no such kind");
}

}  // namespace

Cases RunNvfp4(const Json& document) {
  if (FieldOf(document, "cases").is_null()) {
    return Fail("conformance.form", "the file has no list of cases", {.key_path = "cases"});
  }
  std::vector<CaseResult> results;
  for (const Json& the_case : ItemsOf(document, "cases")) {
    results.push_back(RunCase(the_case, TextOf(the_case, "name")));
  }
  return results;
}

}  // namespace cacheon::conformance
