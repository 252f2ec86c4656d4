// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/live_projection.h"

#include <fmt/format.h>

#include <limits>

#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

std::vector<LiveResource> Live() {
  const std::int64_t shape[] = {4, 6};
  const std::int64_t stride[] = {6, 1};
  return {{"input.x", MakeLiveTensor(0x1008, shape, stride, 2, 3).value()},
          {"input.n", std::int64_t{300}},
          {"input.flag", true},
          {"input.eps", std::numeric_limits<double>::infinity()},
          {"input.scale", 0.1},
          {"group.current", LiveGroup{.token = 1, .rank = 1, .size = 2}},
          {"group.broken", LiveGroup{.token = 1, .rank = 2, .size = 2}},
          {"stream.current", std::uint64_t{7}}};
}

Result<std::vector<LiveValue>> Project(const Json& rows) {
  return ProjectFrame(ParseBindings(rows, KeyPath("b")).value(), Live());
}

std::string Scalar(std::string_view source, std::string_view cast, std::string_view more = "") {
  return fmt::format("[{{'kind':'scalar','source':'{}','cast':'{}'{}}}]", source, cast, more);
}

TEST(ProjectFrame, RefusesLiveValuesThatDoNotFit) {
  ExpectRefusals(
      {{"[{'kind':'tensor','source':'input.y'}]", "rx.unavailable", "bindings[0]"},
       {"[{'kind':'tensor','source':'input.n'}]", "tf.inspect", "bindings[0]"},
       {"[{'kind':'tensor','source':'input.x','assumed_align':16}]", "rt.align", "bindings[0]"},
       {"[{'kind':'pointer','source':'input.x','projection':'device_ptr','assumed_align':16}]",
        "rt.align", "bindings[0]"},
       {"[{'kind':'tensor','source':'input.x','unsqueeze':[0,4]}]", "rt.unsqueeze", "bindings[0]"},
       {Scalar("input.n", "u8"), "rt.cast", "bindings[0]"},
       {Scalar("input.flag", "i32"), "rt.cast", "bindings[0]"},
       {Scalar("input.n", "bool"), "rt.cast", "bindings[0]"},
       {Scalar("input.eps", "f32"), "rt.cast", "bindings[0]"},
       {Scalar("input.x", "i8", ",'projection':'shape','axis':2"), "ev.axis_live", "bindings[0]"},
       {Scalar("group.broken", "i32", ",'projection':'rank'"), "rt.group", "bindings[0]"},
       {"[{'kind':'pointer','source':'group.current','projection':'native_handle'}]", "rt.group",
        "bindings[0]"},
       {"[{'kind':'stream','source':'stream.current'},{'kind':'aggregate','cast':'Shape',"
        "'component_cast':'i32','components':[{'source':'input.flag','projection':'value',"
        "'cast':'i32'}]}]",
        "rt.cast", "bindings[1]"}},
      Project);
}

TEST(ProjectFrame, UnsqueezesInOrder) {
  const auto frame =
      Project(J("[{'kind':'tensor','source':'input.x','unsqueeze':[0,-1,2]}]")).value();
  const auto& tensor = std::get<LiveTensor>(frame[0]);
  ASSERT_EQ(tensor.rank, 5);
  // (4,6) becomes (1,4,6), then (1,4,6,1), then (1,4,1,6,1).
  const std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.begin() + 5);
  const std::vector<std::int64_t> stride(tensor.stride.begin(), tensor.stride.begin() + 5);
  EXPECT_EQ(shape, (std::vector<std::int64_t>{1, 4, 1, 6, 1}));
  EXPECT_EQ(stride, (std::vector<std::int64_t>{24, 6, 6, 1, 1}));
}

TEST(ProjectFrame, KeepsFloatsUnroundedAndReadsFacts) {
  const auto frame =
      Project(J("[{'kind':'scalar','source':'input.scale','cast':'bf16'},"
                "{'kind':'scalar','source':'input.n','cast':'f32'},"
                "{'kind':'scalar','source':'input.x','projection':'numel','cast':'i32'},"
                "{'kind':'scalar','source':'group.current','projection':'size','cast':"
                "'i32'},{'kind':'pointer','source':'input.x','projection':"
                "'device_ptr','assumed_align':8}]"))
          .value();
  EXPECT_EQ(std::get<double>(frame[0]), 0.1);
  EXPECT_EQ(std::get<double>(frame[1]), 300.0);
  EXPECT_EQ(std::get<std::int64_t>(frame[2]), 24);
  EXPECT_EQ(std::get<std::int64_t>(frame[3]), 2);
  EXPECT_EQ(std::get<std::uint64_t>(frame[4]), 0x1008U);
}

}  // namespace
}  // namespace cacheon::artifact
