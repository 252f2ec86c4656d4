// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/routed_experts.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cacheon/core/parallel.h"
#include "src/slots/exponential.h"
#include "src/slots/panel_product.h"
#include "src/slots/row_reader.h"

namespace cacheon::slots {
namespace {

// Weight rows per step: small enough that converted rows stay in the second-level cache.
constexpr std::int64_t kRows = 16;

// The (token, slot) pairs of one expert, as positions in the row-major [M, K].
struct Routed {
  std::int64_t expert;
  std::vector<std::int64_t> pairs;
};

std::vector<Routed> RouteByExpert(const RoutedCall& call) {
  std::vector<std::vector<std::int64_t>> pairs(static_cast<std::size_t>(call.experts));
  const auto* ids = tensor::Elements<std::int32_t>(call.ids);
  for (std::int64_t pair = 0; pair < call.ids.shape()[0] * call.ids.shape()[1]; ++pair) {
    pairs[static_cast<std::size_t>(ids[pair])].push_back(pair);
  }
  std::vector<Routed> routed;
  for (std::size_t expert = 0; expert < pairs.size(); ++expert) {
    if (pairs[expert].empty()) continue;
    routed.push_back({static_cast<std::int64_t>(expert), std::move(pairs[expert])});
  }
  return routed;
}

// Runs `step(routed expert, first row, rows)` for all blocks of rows of all experts.
template <typename Step>
void ForEachRowBlock(const std::vector<Routed>& routed, std::int64_t rows, Step step) {
  const std::int64_t blocks = (rows + kRows - 1) / kRows;
  ParallelFor(static_cast<std::int64_t>(routed.size()) * blocks, 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t item = begin; item < end; ++item) {
                  const std::int64_t first = item % blocks * kRows;
                  step(routed[static_cast<std::size_t>(item / blocks)], first,
                       std::min(kRows, rows - first));
                }
              });
}

// Buffers of one step; one per thread.
struct Scratch {
  std::vector<float> gate_rows, up_rows;
  std::vector<double> gates, ups;
  std::vector<const float*> vectors;
};

class RoutedSum {
 public:
  explicit RoutedSum(const RoutedCall& call)
      : call_(call),
        x_(call.x),
        routed_(RouteByExpert(call)),
        hidden_(call.x.shape()[1]),
        top_k_(call.ids.shape()[1]),
        pairs_(call.ids.shape()[0] * top_k_),
        activated_(static_cast<std::size_t>(pairs_ * call.intermediate)),
        products_(static_cast<std::size_t>(pairs_ * hidden_)) {}

  void Run(std::span<double> out) {
    ForEachRowBlock(routed_, call_.intermediate,
                    [&](const Routed& routed, std::int64_t first, std::int64_t count) {
                      Activate(routed, first, count);
                    });
    ForEachRowBlock(routed_, hidden_,
                    [&](const Routed& routed, std::int64_t first, std::int64_t count) {
                      Project(routed, first, count);
                    });
    Sum(out);
  }

 private:
  // Rows [first, first + count) of the gate and of the up half, for every pair of the expert.
  void Activate(const Routed& routed, std::int64_t first, std::int64_t count) {
    thread_local Scratch scratch;
    const std::size_t vectors = routed.pairs.size();
    scratch.vectors.clear();
    for (const std::int64_t pair : routed.pairs) {
      scratch.vectors.push_back(x_.Row(pair / top_k_, hidden_));
    }
    scratch.gates.resize(static_cast<std::size_t>(count) * vectors);
    scratch.ups.resize(static_cast<std::size_t>(count) * vectors);
    const float* gate = call_.w13->Rows(routed.expert, first, count, scratch.gate_rows);
    PanelProduct(gate, count, hidden_, scratch.vectors, scratch.gates.data());
    const float* up =
        call_.w13->Rows(routed.expert, call_.intermediate + first, count, scratch.up_rows);
    PanelProduct(up, count, hidden_, scratch.vectors, scratch.ups.data());
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::size_t v = 0; v < vectors; ++v) {
        const std::size_t at = static_cast<std::size_t>(row) * vectors + v;
        activated_[static_cast<std::size_t>(routed.pairs[v] * call_.intermediate + first + row)] =
            static_cast<float>(call_.activation.Apply(scratch.gates[at], scratch.ups[at]));
      }
    }
  }

  void Project(const Routed& routed, std::int64_t first, std::int64_t count) {
    thread_local Scratch scratch;
    const std::size_t vectors = routed.pairs.size();
    scratch.vectors.clear();
    for (const std::int64_t pair : routed.pairs) {
      scratch.vectors.push_back(activated_.data() + pair * call_.intermediate);
    }
    scratch.gates.resize(static_cast<std::size_t>(count) * vectors);
    const float* rows = call_.w2->Rows(routed.expert, first, count, scratch.gate_rows);
    PanelProduct(rows, count, call_.intermediate, scratch.vectors, scratch.gates.data());
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::size_t v = 0; v < vectors; ++v) {
        products_[static_cast<std::size_t>(routed.pairs[v] * hidden_ + first + row)] =
            scratch.gates[static_cast<std::size_t>(row) * vectors + v];
      }
    }
  }

  void Sum(std::span<double> out) const {
    const auto* weights = tensor::Elements<float>(call_.weights);
    ParallelFor(call_.x.shape()[0], 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t m = begin; m < end; ++m) {
        double* row = out.data() + m * hidden_;
        std::fill_n(row, hidden_, 0.0);
        for (std::int64_t pair = m * top_k_; pair < (m + 1) * top_k_; ++pair) {
          const double weight = weights[pair];
          const double* product = products_.data() + pair * hidden_;
          for (std::int64_t h = 0; h < hidden_; ++h) row[h] += weight * product[h];
        }
      }
    });
  }

  const RoutedCall& call_;
  DenseFloats x_;
  std::vector<Routed> routed_;
  std::int64_t hidden_, top_k_, pairs_;
  std::vector<float> activated_;  // [M, K, I]
  std::vector<double> products_;  // [M, K, H]
};

}  // namespace

double Activation::Apply(double gate, double up) const {
  switch (kind) {
    case Kind::kSilu:
      return Silu(gate) * up;
    case Kind::kSwigluOai: {
      const double clamped = std::min(gate, limit);
      return clamped / (1.0 + Exp(-alpha * clamped)) * (std::clamp(up, -limit, limit) + 1.0);
    }
  }
  return 0;
}

Result<Activation> ReadActivation(const Json& json) {
  const auto bad = [](const char* message) {
    return Fail("slot.parameter", message, {.key_path = "parameters.activation"});
  };
  const Json* kind = json.Find("kind");
  if (kind == nullptr || !kind->is_string()) return bad("the activation has no `kind`");
  if (kind->as_string() == "silu") return Activation{};
  if (kind->as_string() != "swigluoai") return bad("the activation is silu or swigluoai");
  const Json* alpha = json.Find("alpha");
  const Json* limit = json.Find("limit");
  if (alpha == nullptr || limit == nullptr || !alpha->is_number() || !limit->is_number() ||
      !(limit->as_double() >= 0)) {
    return bad("swigluoai needs the numbers `alpha` and `limit`");
  }
  return Activation{.kind = Activation::Kind::kSwigluOai,
                    .alpha = alpha->as_double(),
                    .limit = limit->as_double()};
}

void SumRoutedExperts(const RoutedCall& call, std::span<double> out) { RoutedSum(call).Run(out); }

}  // namespace cacheon::slots
