// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of slots/ that exercise a slot's reference: exact results of stored inputs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

#include "cacheon/slots/tensor_json.h"
#include "src/conformance/case_fields.h"
#include "src/conformance/case_tensors.h"
#include "src/conformance/file_kinds.h"
#include "src/conformance/slot_cases.h"

namespace cacheon::conformance {
namespace {

using slots::OwnedTensor;

// The references are float64 or blocked float32 inside and rounded to float32 once.
constexpr double kTolerance = 1e-5;

bool Agreed(const CaseResult& result) { return result.agreement == Agreement::kAgree; }

std::vector<double> DoublesOf(const OwnedTensor& tensor) {
  std::vector<float> values(
      static_cast<std::size_t>(tensor::ElementCount(tensor.layout.shape).value_or(0)));
  tensor::ReadFloats(tensor.view(), 0, values);
  return {values.begin(), values.end()};
}

std::string ElementText(std::string_view what, const std::vector<double>& values,
                        std::ptrdiff_t at) {
  const auto position = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at, 0));
  return position < values.size() ? fmt::format("{}[{}] = {}", what, position, values[position])
                                  : fmt::format("{} of {} numbers", what, values.size());
}

CaseResult CompareExact(std::string name, std::string_view field, const Json& recorded,
                        const std::vector<double>& got) {
  const std::vector<double> expected = NumbersOf(FieldOf(recorded, "data"));
  const std::ptrdiff_t at = FirstDifference(expected, got, kTolerance);
  if (at < 0 && !expected.empty()) return Agrees(std::move(name));
  return Differs(std::move(name), ElementText(field, expected, at), ElementText(field, got, at));
}

// Numbers of bfloat16 in order, so that neighbours differ by one.
int OrderOf(double value) {
  const int bits = tensor::ToBFloat16(static_cast<float>(value));
  return bits < 0x8000 ? bits : 0x8000 - bits;
}

// The reference rounded once to bfloat16, at most one step from the recorded number.
CaseResult CompareRounded(std::string name, std::string_view field, const Json& recorded,
                          const std::vector<double>& got) {
  const std::vector<double> expected = NumbersOf(FieldOf(recorded, "data"));
  bool near = expected.size() == got.size() && !expected.empty();
  std::size_t at = 0;
  for (; near && at < expected.size(); ++at) {
    near = std::abs(OrderOf(expected[at]) - OrderOf(got[at])) <= 1;
    if (!near) break;
  }
  if (near) return Agrees(std::move(name));
  const auto position = static_cast<std::ptrdiff_t>(at);
  return Differs(std::move(name), ElementText(field, expected, position),
                 ElementText(field, got, position));
}

using Outputs = std::vector<OwnedTensor>;
// Compares what a kind of file records beside the exact outputs.
using Extra = std::function<CaseResult(const slots::Slot& slot, const Json& the_case,
                                       const std::string& name, const Outputs& outputs)>;

CaseResult NoExtra(const slots::Slot& /*slot*/, const Json& /*the_case*/, const std::string& name,
                   const Outputs& /*outputs*/) {
  return Agrees(name);
}

// `OUTPUT_exact_f64` and the bfloat16 fields of every output.
CaseResult CompareOutputs(const Json& the_case, const std::string& name, const Outputs& outputs) {
  for (const OwnedTensor& output : outputs) {
    const std::vector<double> got = DoublesOf(output);
    const std::string exact = output.name + "_exact_f64";
    const CaseResult compared = CompareExact(name, exact, FieldOf(the_case, exact), got);
    if (!Agreed(compared)) return compared;
    for (const char* suffix : {"_bf16", "_single_rounding_bf16", "_two_rounding_bf16"}) {
      const std::string field = output.name + suffix;
      const Json& recorded = FieldOf(the_case, field);
      if (recorded.is_null()) continue;
      const CaseResult rounded = CompareRounded(name, field, recorded, got);
      if (!Agreed(rounded)) return rounded;
    }
  }
  return Agrees(name);
}

CaseResult RunCase(std::string_view id, const Json& the_case, const Extra& extra) {
  const std::string& name = TextOf(the_case, "name");
  const Json& own_slot = FieldOf(the_case, "slot");
  const slots::Slot* slot = slots::FindSlot(own_slot.is_string() ? own_slot.as_string() : id);
  if (slot == nullptr) return Differs(name, "a slot of the catalogue", "none");
  const Result<Outputs> outputs = slots::RunReference(*slot, the_case);
  if (!outputs) return Differs(name, "outputs", FormatError(outputs.error()));
  CaseResult compared = CompareOutputs(the_case, name, *outputs);
  return Agreed(compared) ? extra(*slot, the_case, name, *outputs) : compared;
}

Cases RunCases(const Json& document, std::string_view id, const Extra& extra) {
  if (FieldOf(document, "cases").is_null()) {
    return Fail("conformance.form", "the file has no list of cases", {.key_path = "cases"});
  }
  std::vector<CaseResult> results;
  for (const Json& the_case : ItemsOf(document, "cases")) {
    results.push_back(RunCase(id, the_case, extra));
  }
  return results;
}

// Where no token is attended, and only there, the output is zero.
CaseResult CheckAttended(const slots::Slot& /*slot*/, const Json& the_case, const std::string& name,
                         const Outputs& outputs) {
  const std::vector<std::int64_t> attended =
      IntegersOf(FieldOf(FieldOf(the_case, "attended_tokens"), "data"));
  const std::vector<std::int64_t> shape =
      IntegersOf(FieldOf(FieldOf(the_case, "attended_tokens"), "shape"));
  const auto& out_shape = outputs[0].layout.shape;
  if (shape.size() != 2 || shape[0] != out_shape[0] || shape[1] <= 0 ||
      static_cast<std::int64_t>(attended.size()) != shape[0] * shape[1]) {
    return Differs(name, "attended_tokens of [B, Hkv]", "another shape");
  }
  const std::vector<double> out = DoublesOf(outputs[0]);
  const auto group = static_cast<std::size_t>(out_shape[1] / shape[1] * out_shape[2]);
  for (std::size_t i = 0; i < attended.size(); ++i) {
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(i * group);
    const bool zero = std::all_of(first, first + static_cast<std::ptrdiff_t>(group),
                                  [](double value) { return value == 0; });
    if (zero == (attended[i] == 0)) continue;
    return Differs(name, fmt::format("{} attended tokens for group {}", attended[i], i),
                   zero ? "zeros" : "other values");
  }
  return Agrees(name);
}

// The recorded order: score descending, then block ascending.
CaseResult CheckTopSets(const slots::Slot& /*slot*/, const Json& the_case, const std::string& name,
                        const Outputs& outputs) {
  const std::vector<double> scores = DoublesOf(outputs[0]);
  const auto blocks = static_cast<std::size_t>(outputs[0].layout.shape[1]);
  const Json::Array& sets = ItemsOf(the_case, "top_k_sets");
  if (sets.size() * blocks != scores.size())
    return Differs(name, "a set per row", "another number");
  for (std::size_t row = 0; row < sets.size(); ++row) {
    std::vector<std::int64_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::int64_t block) {
      return scores[row * blocks + static_cast<std::size_t>(block)];
    });
    const std::vector<std::int64_t> expected = IntegersOf(sets[row]);
    order.resize(std::min(order.size(), expected.size()));
    if (order != expected) {
      return Differs(name, fmt::format("row {}: {}", row, fmt::join(expected, " ")),
                     fmt::format("{}", fmt::join(order, " ")));
    }
  }
  return Agrees(name);
}

// One rank's contribution, from a run of that rank alone. What follows the sum adds `residual`.
CaseResult CheckPartials(const slots::Slot& slot, const Json& the_case, const std::string& name,
                         const Outputs& /*outputs*/) {
  for (const Json& rank : ItemsOf(the_case, "ranks")) {
    const Json& recorded = FieldOf(rank, "partial_f64");
    if (recorded.is_null()) continue;
    Json alone = the_case;
    alone["ranks"] = Json(Json::Array{rank});
    const Result<Outputs> outputs = slots::RunReference(slot, alone);
    if (!outputs) return Differs(name, "one rank's outputs", FormatError(outputs.error()));
    std::vector<double> got = DoublesOf(outputs->back());
    const std::vector<double> residual = NumbersOf(FieldOf(FieldOf(the_case, "residual"), "data"));
    for (std::size_t i = 0; i < std::min(got.size(), residual.size()); ++i) got[i] -= residual[i];
    CaseResult compared = CompareExact(name, "partial_f64", recorded, got);
    if (!Agreed(compared)) return compared;
  }
  return Agrees(name);
}

// {"nonzero": [[expert, offset, byte], ...]} as a tensor.
Json DenseScales(const Json& sparse, const std::vector<std::int64_t>& shape) {
  const std::int64_t matrix = shape[1] * shape[2];
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 24;
  const bool small = shape[0] > 0 && matrix > 0 && shape[0] <= kMaxBytes / matrix;
  Json::Array data(small ? static_cast<std::size_t>(shape[0] * matrix) : 0, Json(0));
  for (const Json& entry : ItemsOf(sparse, "nonzero")) {
    const std::vector<std::int64_t> place = IntegersOf(entry);
    if (place.size() != 3 || place[0] < 0 || place[0] >= shape[0] || place[1] < 0 ||
        place[1] >= matrix || data.empty()) {
      continue;
    }
    data[static_cast<std::size_t>(place[0] * matrix + place[1])] = Json(place[2]);
  }
  return Json::Object{
      {"dtype", "uint8"}, {"shape", FieldOf(sparse, "shape")}, {"data", std::move(data)}};
}

// A recorded row of choices against the chosen ids: every id of `must`, the rest from `tie_pool`,
// none twice, then -1.
std::string RowFault(const Json& row, std::span<const std::int32_t> ids) {
  const std::vector<std::int64_t> must = IntegersOf(FieldOf(row, "must"));
  const std::vector<std::int64_t> pool = IntegersOf(FieldOf(row, "tie_pool"));
  const Json& width_field = FieldOf(row, "width");
  const std::size_t width =
      width_field.is_int64() ? static_cast<std::size_t>(width_field.as_int64()) : ids.size() + 1;
  if (width > ids.size()) return "a width beyond topk";
  const std::vector<std::int64_t> chosen(ids.begin(),
                                         ids.begin() + static_cast<std::ptrdiff_t>(width));
  for (const std::int64_t id : must) {
    if (std::ranges::find(chosen, id) == chosen.end()) return fmt::format("{} is missing", id);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t id = ids[i];
    if (i >= width && id != -1) return fmt::format("{} stands after the chosen ones", id);
    if (i >= width) continue;
    if (std::ranges::count(chosen, id) != 1) return fmt::format("{} stands twice", id);
    const bool listed =
        std::ranges::find(must, id) != must.end() || std::ranges::find(pool, id) != pool.end();
    if (!pool.empty() && !listed) return fmt::format("{} is not among the best", id);
  }
  return {};
}

CaseResult RunPrefillCase(const Json& the_case) {
  const std::string& name = TextOf(the_case, "name");
  const slots::Slot& slot = *slots::FindSlot("attention.msa_prefill_block_score");
  const Result<Outputs> outputs = slots::RunReference(slot, the_case);
  if (!outputs) return Differs(name, "chosen blocks", FormatError(outputs.error()));
  const OwnedTensor& out = outputs->front();
  const std::vector<std::int64_t> canonical =
      IntegersOf(FieldOf(FieldOf(the_case, "out_topk_canonical"), "data"));
  const auto* ids = tensor::Elements<std::int32_t>(out.view());
  const std::vector<std::int64_t> got(ids,
                                      ids + tensor::ElementCount(out.layout.shape).value_or(0));
  if (got != canonical) {
    return Differs(name, fmt::format("{}", fmt::join(canonical, " ")),
                   fmt::format("{}", fmt::join(got, " ")));
  }
  const auto top_k = static_cast<std::size_t>(out.layout.shape[2]);
  for (const Json& row : ItemsOf(the_case, "rows")) {
    const Json& head = FieldOf(row, "head");
    const Json& index = FieldOf(row, "row");
    const bool inside = head.is_int64() && index.is_int64() && head.as_int64() >= 0 &&
                        head.as_int64() < out.layout.shape[0] && index.as_int64() >= 0 &&
                        index.as_int64() < out.layout.shape[1];
    if (!inside) return Differs(name, "a row of the output", "none");
    const std::int64_t at = head.as_int64() * out.layout.shape[1] + index.as_int64();
    const std::string fault = RowFault(row, {ids + at * static_cast<std::int64_t>(top_k), top_k});
    if (!fault.empty()) return Differs(name, DocumentJson(row), fault);
  }
  return Agrees(name);
}

}  // namespace

Cases RunSiluAndMul(const Json& document) {
  return RunCases(document, "activation.silu_and_mul", NoExtra);
}
Cases RunRmsNorm(const Json& document) { return RunCases(document, "norm.rmsnorm", NoExtra); }
Cases RunSdpa(const Json& document) { return RunCases(document, "attention.sdpa", NoExtra); }
Cases RunDecode(const Json& document) {
  return RunCases(document, "attention.decode", CheckAttended);
}
Cases RunBlockScore(const Json& document) {
  return RunCases(document, "attention.msa_block_score", CheckTopSets);
}
Cases RunFusedExperts(const Json& document) {
  return RunCases(document, "moe.fused_experts", CheckPartials);
}
Cases RunAllReduce(const Json& document) {
  return RunCases(document, "collective.all_reduce", NoExtra);
}
Cases RunArResidualRmsNorm(const Json& document) {
  return RunCases(document, "collective.ar_residual_rmsnorm", NoExtra);
}
Cases RunMoeFinalize(const Json& document) {
  return RunCases(document, "collective.moe_finalize_ar_rmsnorm", CheckPartials);
}

Cases RunPrefill(const Json& document) {
  if (FieldOf(document, "cases").is_null()) {
    return Fail("conformance.form", "the file has no list of cases", {.key_path = "cases"});
  }
  std::vector<CaseResult> results;
  for (const Json& the_case : ItemsOf(document, "cases")) {
    results.push_back(RunPrefillCase(the_case));
  }
  return results;
}

CaseResult CompareNvfp4Forward(const Json& the_case, const std::string& name) {
  Json dense = the_case;
  dense["dtype"] = FieldOf(FieldOf(FieldOf(the_case, "inputs"), "x"), "dtype");
  Json& inputs = dense["inputs"];
  for (const auto& [field, value] : FieldOf(the_case, "view").is_object()
                                        ? FieldOf(the_case, "view").as_object()
                                        : Json::Object{}) {
    constexpr std::string_view kSwizzled = "_swizzled";
    if (!field.ends_with(kSwizzled)) {
      inputs[field] = value;
      continue;
    }
    const std::vector<std::int64_t> shape = IntegersOf(FieldOf(value, "shape"));
    if (shape.size() != 3) return Differs(name, "swizzled scales of rank 3", "another shape");
    inputs[field.substr(0, field.size() - kSwizzled.size())] = DenseScales(value, shape);
  }
  const slots::Slot& slot = *slots::FindSlot("moe.fused_experts", "MiniMax-M3");
  const Result<Outputs> outputs = slots::RunReference(slot, dense);
  if (!outputs) return Differs(name, "outputs", FormatError(outputs.error()));
  return CompareOutputs(the_case, name, *outputs);
}

}  // namespace cacheon::conformance
