// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/receipt_coverage.h"

#include <fmt/format.h>

#include "src/artifact/refusals_for_test.h"

namespace cacheon::artifact {
namespace {

// Two members with ranks that both report slot s.
std::string Input(const std::string& members = "{}") {
  Json input =
      J("{'slots':['s'],'count':2,'fallbacks':[],"
        "'members':[{'pid':10,'rank':0,'world_size':2},{'pid':11,'rank':1,'world_size':2}],"
        "'observed':[{'pid':10,'rank':0,'world_size':2,'slot':'s'},"
        "{'pid':11,'rank':1,'world_size':2,'slot':'s'}]}");
  const Json more = J(members);
  for (const auto& [key, value] : more.as_object()) input[key] = value;
  return DocumentJson(input);
}

Status Check(const Json& value) {
  CoverageInput input{.expected_slots = {},
                      .expected_member_count = value.Find("count")->as_int64(),
                      .members = value.Find("members")->as_array(),
                      .observed = value.Find("observed")->as_array(),
                      .fallbacks = value.Find("fallbacks")->as_array()};
  for (const Json& slot : value.Find("slots")->as_array()) {
    input.expected_slots.push_back(slot.as_string());
  }
  return CheckCoverage(input);
}

std::string Observed(std::string_view rows) {
  return Input(fmt::format("{{'observed':[{}]}}", rows));
}

TEST(CheckCoverage, RefusesWhatIsNotCovered) {
  const std::string first = "{'pid':10,'rank':0,'world_size':2,'slot':'s'}";
  const std::string second = "{'pid':11,'rank':1,'world_size':2,'slot':'s'}";
  ExpectRefusals(
      {{Input("{'slots':[]}"), "rc.slots", ""},
       {Input("{'count':3}"), "rc.count", ""},
       {Input("{'count':0,'members':[]}"), "rc.count", ""},
       {Observed(first + ",{'pid':11,'rank':true,'world_size':2,'slot':'s'}"), "rc.malformed",
        "observed[1]"},
       {Observed(first + ",{'pid':11,'rank':1,'world_size':3,'slot':'s'}"), "rc.malformed",
        "observed[1]"},
       {Observed(first + ",{'pid':11,'rank':0,'world_size':2,'slot':'s'}"), "rc.malformed",
        "observed[1]"},
       {Observed(first + ",{'pid':11,'rank':1,'world_size':2}"), "rc.malformed", "observed[1]"},
       {Observed(first + ",{'pid':11,'rank':1,'world_size':2,'slot':'s','variant':1}"),
        "rc.malformed", "observed[1]"},
       {Input("{'members':[{'pid':10,'rank':0,'world_size':2},"
              "{'pid':10,'rank':1,'world_size':2}]}"),
        "rc.malformed", "members[1]"},
       {Observed(first + ",{'pid':11,'rank':1,'world_size':2,'slot':'t'}"), "rc.unexpected",
        "observed[1]"},
       {Observed("{'pid':12,'rank':1,'world_size':2,'slot':'s'}"), "rc.unexpected", "observed[0]"},
       {Observed(first + "," + first + "," + second), "rc.duplicate", "observed[1]"},
       {Observed(first), "rc.missing", ""},
       {Input("{'fallbacks':[{'slot':'other'}]}"), "rc.fallback", ""}},
      Check);
}

TEST(CheckCoverage, TakesMembersWithoutRanksWhenReceiptsProveThem) {
  const std::string unknown =
      "'members':[{'pid':10,'rank':-1,'world_size':-1},{'pid':11,'rank':-1,'world_size':-1}]";
  EXPECT_TRUE(Check(J(Input())).has_value());
  EXPECT_TRUE(Check(J(Input("{" + unknown + "}"))).has_value());
  EXPECT_TRUE(Check(J(Input("{'members':[]}"))).has_value());
  const Status unproven =
      Check(J(Input("{" + unknown +
                    ",'observed':[{'pid':10,'rank':-1,'world_size':-1,'slot':'s'},"
                    "{'pid':11,'rank':-1,'world_size':-1,'slot':'s'}]}")));
  ASSERT_FALSE(unproven.has_value());
  EXPECT_EQ(unproven.error().code, Code("rc.missing"));
}

TEST(CheckCoverage, TwoVariantsOfOneSlotAreNoDuplicates) {
  EXPECT_TRUE(Check(J(Observed("{'pid':10,'rank':0,'world_size':2,'slot':'s','variant':'a'},"
                               "{'pid':10,'rank':0,'world_size':2,'slot':'s','variant':'b'},"
                               "{'pid':11,'rank':1,'world_size':2,'slot':'s','variant':'a'},"
                               "{'pid':11,'rank':1,'world_size':2,'slot':'s','variant':'b'}")))
                  .has_value());
}

}  // namespace
}  // namespace cacheon::artifact
