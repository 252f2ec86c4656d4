// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// A second, naive implementation of each reference, written from the formulas with no sharing, no
// blocking and no threads. The references must agree with it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "src/slots/call_builder.h"
#include "src/slots/call_storage.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;
using tensor::DType;
using Numbers = std::vector<double>;

// A tensor as doubles with its shape.
struct Array {
  std::vector<std::int64_t> shape;
  Numbers values;

  double at(std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }
  double at(std::int64_t i, std::int64_t j) const { return at(i * shape[1] + j); }
  double at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return at((i * shape[1] + j) * shape[2] + k);
  }
};

Array Read(const ConstTensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(tensor::ElementCount(view.shape()).value()));
  tensor::ReadFloats(view, 0, values);
  return {view.layout.shape, {values.begin(), values.end()}};
}

std::vector<Array> ReadInputs(const JudgedCall& call) {
  std::vector<Array> arrays;
  for (const ConstTensorView& view : call.storage.inputs()) arrays.push_back(Read(view));
  return arrays;
}

std::int64_t Whole(double value) { return static_cast<std::int64_t>(value); }

// softmax(scores) as weights.
Numbers Softmax(Numbers scores) {
  if (scores.empty()) return scores;
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
  return scores;
}

Numbers NaiveSdpa(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  const Array &q = in[0], &k = in[1], &v = in[2];
  const std::int64_t group = q.shape[1] / k.shape[1];
  Numbers out;
  for (std::int64_t t = 0; t < q.shape[0]; ++t) {
    for (std::int64_t h = 0; h < q.shape[1]; ++h) {
      Numbers scores;
      for (std::int64_t j = 0; j < k.shape[0]; ++j) {
        if (BoolOf(call.plan, "causal") && j > t + k.shape[0] - q.shape[0]) continue;
        double dot = 0;
        for (std::int64_t i = 0; i < q.shape[2]; ++i) dot += q.at(t, h, i) * k.at(j, h / group, i);
        scores.push_back(dot * FloatOf(call.plan, "sm_scale"));
      }
      const Numbers weights = Softmax(scores);
      for (std::int64_t i = 0; i < q.shape[2]; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < weights.size(); ++j) {
          sum += weights[j] * v.at(static_cast<std::int64_t>(j), h / group, i);
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

Numbers NaiveDecode(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  const Array &q = in[0], &k = in[1], &v = in[2], &table = in[3], &lengths = in[4], &pool = in[5],
              &chosen = in[6];
  const std::int64_t group = q.shape[1] / k.shape[1];
  const std::int64_t block = IntOf(call.plan, "block_size");
  Numbers out;
  for (std::int64_t b = 0; b < q.shape[0]; ++b) {
    for (std::int64_t h = 0; h < q.shape[1]; ++h) {
      std::set<std::int64_t> positions;
      for (std::int64_t c = 0; c < chosen.shape[2]; ++c) {
        const std::int64_t id = Whole(chosen.at(h / group, b, c));
        for (std::int64_t p = 0; id >= 0 && p < block; ++p) {
          if (id * block + p < Whole(lengths.at(b))) positions.insert(id * block + p);
        }
      }
      std::vector<std::int64_t> rows;
      Numbers scores;
      for (const std::int64_t p : positions) {
        rows.push_back(Whole(table.at(Whole(pool.at(b)), p)));
        double dot = 0;
        for (std::int64_t i = 0; i < q.shape[2]; ++i) {
          dot += q.at(b, h, i) * k.at(rows.back(), h / group, i);
        }
        scores.push_back(dot * FloatOf(call.plan, "sm_scale"));
      }
      const Numbers weights = Softmax(scores);
      for (std::int64_t i = 0; i < q.shape[2]; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < rows.size(); ++j) {
          sum += weights[j] * v.at(rows[j], h / group, i);
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

Numbers NaiveBlockScore(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  const Array &q = in[0], &keys = in[1], &lengths = in[2];
  const std::int64_t context = keys.shape[1];
  const std::int64_t dim = q.shape[2];
  const std::int64_t block = IntOf(call.plan, "block_size");
  Numbers out;
  for (std::int64_t b = 0; b < q.shape[0]; ++b) {
    for (std::int64_t first = 0; first < context; first += block) {
      double best = -INFINITY;
      for (std::int64_t s = first; s < first + block && s < Whole(lengths.at(b)); ++s) {
        double dot = 0;
        for (std::int64_t h = 0; h < q.shape[1]; ++h) {
          for (std::int64_t i = 0; i < dim; ++i) {
            dot +=
                q.at(b, h, i) * keys.values[static_cast<std::size_t>((b * context + s) * dim + i)];
          }
        }
        best = std::max(best, dot);
      }
      out.push_back(best);
    }
  }
  return out;
}

// Chosen ids, each row sorted, so that the order of writing does not count.
Numbers NaivePrefill(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  const Array &q = in[0], &keys = in[1], &table = in[2], &slots = in[3], &tokens = in[4],
              &lengths = in[5], &prefixes = in[6];
  const CallPlan& plan = call.plan;
  const std::int64_t bq = IntOf(plan, "block_size_q");
  const std::int64_t bk = IntOf(plan, "block_size_k");
  const std::int64_t top_k = IntOf(plan, "topk");
  Numbers out;
  for (std::int64_t h = 0; h < q.shape[1]; ++h) {
    for (std::int64_t b = 0; b < slots.shape[0]; ++b) {
      const std::int64_t count = Whole(tokens.at(b + 1)) - Whole(tokens.at(b));
      for (std::int64_t first = 0; first < count; first += bq) {
        const std::int64_t visible =
            std::min(Whole(lengths.at(b)), Whole(prefixes.at(b)) + first + 1);
        std::vector<std::pair<double, std::int64_t>> ranked;  // (-score, block)
        const std::int64_t blocks = (visible + bk - 1) / bk;
        for (std::int64_t j = 0; j < blocks; ++j) {
          double best = -INFINITY;
          for (std::int64_t p = j * bk; p < std::min((j + 1) * bk, visible); ++p) {
            double dot = 0;
            for (std::int64_t i = 0; i < q.shape[2]; ++i) {
              dot += q.at(Whole(tokens.at(b)) + first, h, i) *
                     keys.at(Whole(table.at(Whole(slots.at(b)), p)), 0, i);
            }
            best = std::max(best, dot * FloatOf(plan, "scale"));
          }
          if (j < IntOf(plan, "init_blocks")) best = INFINITY;
          if (j >= blocks - IntOf(plan, "local_blocks")) best = 3.4e38;
          ranked.emplace_back(-best, j);
        }
        std::ranges::sort(ranked);
        std::vector<double> row;
        for (std::size_t i = 0; i < ranked.size() && i < static_cast<std::size_t>(top_k); ++i) {
          row.push_back(static_cast<double>(ranked[i].second));
        }
        std::ranges::sort(row);
        row.resize(static_cast<std::size_t>(top_k), -1);
        out.insert(out.end(), row.begin(), row.end());
      }
    }
  }
  return out;
}

Numbers NaiveExperts(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  const Array &w13 = in[0], &w2 = in[1], &x = in[2], &ids = in[3], &weights = in[4];
  const std::int64_t hidden = x.shape[1];
  const std::int64_t inter = w2.shape[2];
  Numbers out(static_cast<std::size_t>(x.shape[0] * hidden));
  for (std::int64_t m = 0; m < x.shape[0]; ++m) {
    for (std::int64_t k = 0; k < ids.shape[1]; ++k) {
      const std::int64_t e = Whole(ids.at(m, k));
      Numbers act;
      for (std::int64_t i = 0; i < inter; ++i) {
        double gate = 0;
        double up = 0;
        for (std::int64_t h = 0; h < hidden; ++h) {
          gate += w13.at(e, i, h) * x.at(m, h);
          up += w13.at(e, inter + i, h) * x.at(m, h);
        }
        act.push_back(gate / (1 + std::exp(-gate)) * up);
      }
      for (std::int64_t h = 0; h < hidden; ++h) {
        double sum = 0;
        for (std::int64_t i = 0; i < inter; ++i) {
          sum += w2.at(e, h, i) * act[static_cast<std::size_t>(i)];
        }
        out[static_cast<std::size_t>(m * hidden + h)] += weights.at(m, k) * sum;
      }
    }
  }
  return out;
}

Numbers NaiveNormOf(const Numbers& rows, const Array& weight, double eps) {
  const std::size_t hidden = weight.values.size();
  Numbers out;
  for (std::size_t first = 0; first < rows.size(); first += hidden) {
    double squares = 0;
    for (std::size_t i = 0; i < hidden; ++i) squares += rows[first + i] * rows[first + i];
    const double root = std::sqrt(squares / static_cast<double>(hidden) + eps);
    for (std::size_t i = 0; i < hidden; ++i) {
      out.push_back(rows[first + i] / root * weight.values[i]);
    }
  }
  return out;
}

Numbers NaiveAllReduce(const JudgedCall& call) { return ReadInputs(call)[0].values; }

Numbers NaiveArNorm(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  Numbers sum = in[0].values;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += in[1].values[i];
  return NaiveNormOf(sum, in[2], FloatOf(call.plan, "eps"));
}

Numbers NaiveFinalize(const JudgedCall& call) {
  const std::vector<Array> in = ReadInputs(call);
  const Array &rows = in[0], &map = in[1], &scales = in[2], &residual = in[3];
  Numbers sum = residual.values;
  for (std::int64_t t = 0; t < residual.shape[0]; ++t) {
    for (std::int64_t k = 0; k < scales.shape[1]; ++k) {
      const std::int64_t row = Whole(map.at(t + k * scales.shape[0]));
      for (std::int64_t i = 0; i < residual.shape[1]; ++i) {
        sum[static_cast<std::size_t>(t * residual.shape[1] + i)] +=
            scales.at(t, k) * rows.at(row, i);
      }
    }
  }
  return NaiveNormOf(sum, in[4], FloatOf(call.plan, "eps"));
}

struct Pair {
  const char* id;
  Numbers (*naive)(const JudgedCall& call);
  double tolerance;  // of the largest expected magnitude in a row of 16 and more
};

class NaiveReference : public ::testing::TestWithParam<Pair> {};

// Rows of ids are compared as sets.
void SortRows(std::vector<float>& ids, std::size_t width) {
  for (std::size_t first = 0; first < ids.size(); first += width) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = std::find(begin, begin + static_cast<std::ptrdiff_t>(width), -1.0F);
    std::sort(begin, end);
  }
}

TEST_P(NaiveReference, AgreesOnEveryCaseOfOurs) {
  const Slot& slot = *FindSlot(GetParam().id);
  for (const Case& the_case : slot.OurCases()) {
    const Result<JudgedCall> call = MakeJudgedCall(slot, the_case, DType::kBFloat16, 21);
    ASSERT_TRUE(call.has_value()) << call.error().message;
    const Numbers expected = GetParam().naive(*call);
    const ConstTensorView view = call->storage.const_expected()[0];
    std::vector<float> got(expected.size());
    ASSERT_EQ(tensor::ElementCount(view.shape()).value(),
              static_cast<std::int64_t>(expected.size()));
    tensor::ReadFloats(view, 0, got);
    if (view.dtype == DType::kInt32) SortRows(got, static_cast<std::size_t>(view.shape().back()));
    double largest = 0;
    for (const double value : expected) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::isinf(expected[i])) {
        ASSERT_EQ(got[i], expected[i]) << i;
      } else {
        ASSERT_NEAR(got[i], expected[i], GetParam().tolerance * largest)
            << the_case.value_profile << ' ' << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Slots, NaiveReference,
    ::testing::Values(Pair{"attention.sdpa", NaiveSdpa, 1e-7},
                      Pair{"attention.decode", NaiveDecode, 1e-7},
                      Pair{"attention.msa_block_score", NaiveBlockScore, 1e-7},
                      Pair{"attention.msa_prefill_block_score", NaivePrefill, 0},
                      Pair{"moe.fused_experts", NaiveExperts, 1e-6},
                      Pair{"moe.fused_experts_reduce", NaiveExperts, 1e-6},
                      Pair{"collective.all_reduce", NaiveAllReduce, 0},
                      Pair{"collective.ar_residual_rmsnorm", NaiveArNorm, 1e-7},
                      Pair{"collective.moe_finalize_ar_rmsnorm", NaiveFinalize, 1e-7}),
    [](const auto& instance) {
      std::string name = instance.param.id;
      for (char& c : name) c = c == '.' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace cacheon::slots
