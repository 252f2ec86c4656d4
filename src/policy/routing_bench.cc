// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Goals: selection over 32 rows in 50 ns; the overlap check of 32 rows with 8 predicates in 1 ms.

#include <benchmark/benchmark.h>

#include "cacheon/policy/routing.h"

namespace cacheon::policy {
namespace {

constexpr int kRows = 32;

// Rows that tell each other apart by their token range alone and constrain seven more fields.
RouteRow Row(int index) {
  Json::Object capabilities = {
      {"num_tokens", Json::Object{{"min", index * 16}, {"max", index * 16 + 15}}},
      {"head_dim", Json::Array{64, 96, 128, 192}},
      {"kv_len", Json::Object{{"min", 1}, {"max", 1 << 20}}},
      {"num_q_heads", Json::Array{8, 16, 32}},
      {"top_k", Json::Object{{"max", 64}}},
      {"batch_size", Json::Object{{"max", 4096}}},
      {"layout", "paged_nhd"},
      {"phase", Json::Array{"decode", "prefill"}},
  };
  const Json metadata = Json::Object{{"dtypes", Json::Array{"bfloat16", "float16"}},
                                     {"graph_safe", true},
                                     {"capabilities", std::move(capabilities)}};
  return {.slot = "attention.decode",
          .variant = "v" + std::to_string(index),
          .eligibility = ParseEligibility(metadata).value()};
}

std::vector<RouteRow> Rows() {
  std::vector<RouteRow> rows;
  for (int i = 0; i < kRows; ++i) rows.push_back(Row(i));
  return rows;
}

CallDescriptor Call() {
  const Json call = Json::Object{
      {"num_tokens", 300},   {"head_dim", 128},  {"kv_len", 65536},           {"num_q_heads", 16},
      {"top_k", 16},         {"batch_size", 9},  {"layout", "paged_nhd"},     {"phase", "decode"},
      {"dtype", "bfloat16"}, {"quant", "dense"}, {"graph_mode", "cuda_graph"}};
  return CallDescriptor::FromJson(call).value();
}

void SelectAmong32Rows(benchmark::State& state) {
  const RouteTable table(Rows());
  CallDescriptor call = Call();
  std::int64_t tokens = 0;
  for (auto unused : state) {
    call.Set(Field::kNumTokens, tokens);
    tokens = (tokens + 37) % (kRows * 16);
    benchmark::DoNotOptimize(table.Select(call));
  }
}
BENCHMARK(SelectAmong32Rows);

// What selection replaces: asking every row.
void MatchEvery32Rows(benchmark::State& state) {
  const std::vector<RouteRow> rows = Rows();
  const CallDescriptor call = Call();
  for (auto unused : state) {
    for (const RouteRow& row : rows) benchmark::DoNotOptimize(Match(row.eligibility, call));
  }
}
BENCHMARK(MatchEvery32Rows);

void OverlapOf32Rows(benchmark::State& state) {
  std::vector<Domain> domains;
  for (const RouteRow& row : Rows()) domains.push_back(Domain::Of(row.eligibility));
  for (auto unused : state) {
    for (std::size_t i = 0; i < domains.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) benchmark::DoNotOptimize(Overlap(domains[j], domains[i]));
    }
  }
}
BENCHMARK(OverlapOf32Rows)->Unit(benchmark::kMicrosecond);

// Folding the rows, every pair, and the table.
void RegisterAndCompile32Rows(benchmark::State& state) {
  const std::vector<RouteRow> rows = Rows();
  for (auto unused : state) {
    RouteRegistry registry;
    for (const RouteRow& row : rows) benchmark::DoNotOptimize(registry.Register(row));
    benchmark::DoNotOptimize(registry.Compile());
  }
}
BENCHMARK(RegisterAndCompile32Rows)->Unit(benchmark::kMicrosecond);

void ReadMetadataOf32Rows(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const RouteRow& row : Rows())
    texts.push_back(EmitMetadata(ProjectMetadata(row.eligibility)));
  for (auto unused : state) {
    for (const std::string& text : texts) {
      benchmark::DoNotOptimize(ParseEligibility(ReadMetadata(text).value().value));
    }
  }
}
BENCHMARK(ReadMetadataOf32Rows)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cacheon::policy
