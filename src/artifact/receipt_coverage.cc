// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/receipt_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "cacheon/artifact/key_path.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

struct Identity {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank = {};
};

struct Observation {
  Identity identity;
  std::string slot;
  std::string variant;  // empty: the one that receipts without a variant share
};

std::unexpected<Error> Malformed(std::string what, const KeyPath& path) {
  return Fail("rc.malformed", std::move(what), path.where());
}

Result<Identity> ParseIdentity(const Json& receipt, std::int64_t member_count,
                               const KeyPath& path) {
  const auto pid = ExactInteger(receipt.Find("pid"), 1, INT64_MAX);
  const auto rank = ExactInteger(receipt.Find("rank"), -1, member_count - 1);
  const auto world = ExactInteger(receipt.Find("world_size"), -1, member_count);
  if (!pid || !rank || !world) return Malformed("a receipt has no usable identity", path);
  if (*rank == -1 && *world == -1) return Identity{*pid};
  if (*rank == -1 || *world != member_count) {
    return Malformed(
        fmt::format("rank {} of {} is none of {} members", *rank, *world, member_count), path);
  }
  return Identity{*pid, *rank};
}

Result<Observation> ParseObservation(const Json& receipt, std::int64_t member_count,
                                     const KeyPath& path) {
  ASSIGN_OR_RETURN(const Identity identity, ParseIdentity(receipt, member_count, path));
  const std::string_view slot = TextOf(receipt.Find("slot"));
  const Json* variant = Present(receipt, "variant");
  if (slot.empty()) return Malformed("a receipt names no slot", path);
  if (variant != nullptr && !variant->is_string()) {
    return Malformed("a receipt's variant is no text", path);
  }
  return Observation{identity, std::string(slot), std::string(TextOf(variant))};
}

// Who the members are: pids, ranks, and which pid has which rank.
class Membership {
 public:
  Membership(std::int64_t count, bool by_pid) : count_(count), by_pid_(by_pid) {}

  Status AddMember(const Identity& member, const KeyPath& path) {
    if (!pids_.insert(member.pid).second) return Malformed("two members share a pid", path);
    return Learn(member, path);
  }

  // Takes the rank that a receipt gives its pid; it must not contradict what is known.
  Status Learn(const Identity& identity, const KeyPath& path) {
    if (!identity.rank) return {};
    const auto [by_pid, new_pid] = rank_of_.emplace(identity.pid, *identity.rank);
    const auto [by_rank, new_rank] = pid_of_.emplace(*identity.rank, identity.pid);
    if (by_pid->second == *identity.rank && by_rank->second == identity.pid) return {};
    return Malformed("two receipts disagree about a rank", path);
  }

  bool Has(const Identity& identity) const {
    return by_pid_ ? pids_.contains(identity.pid) : identity.rank.has_value();
  }

  // The same for every receipt of one member.
  std::int64_t KeyOf(const Identity& identity) const {
    return by_pid_ ? identity.pid : *identity.rank;
  }

  std::vector<std::int64_t> Keys() const {
    if (by_pid_) return {pids_.begin(), pids_.end()};
    std::vector<std::int64_t> ranks;
    for (std::int64_t rank = 0; rank < count_; ++rank) ranks.push_back(rank);
    return ranks;
  }

  bool KnowsEveryRank() const {
    return count_ == 1 || static_cast<std::int64_t>(rank_of_.size()) == count_;
  }

 private:
  std::int64_t count_;
  bool by_pid_;
  std::set<std::int64_t> pids_;
  std::map<std::int64_t, std::int64_t> rank_of_;
  std::map<std::int64_t, std::int64_t> pid_of_;
};

Status CheckCounts(const CoverageInput& input) {
  if (input.expected_slots.empty()) return Fail("rc.slots", "no slot is expected");
  const auto given = static_cast<std::int64_t>(input.members.size());
  if (input.expected_member_count < 1 || (given != 0 && given != input.expected_member_count)) {
    return Fail("rc.count", fmt::format("{} members are expected, {} are active",
                                        input.expected_member_count, given));
  }
  return {};
}

Result<std::vector<Observation>> ReadObservations(const CoverageInput& input,
                                                  Membership& membership) {
  const KeyPath members_path("members");
  for (std::size_t i = 0; i < input.members.size(); ++i) {
    ASSIGN_OR_RETURN(
        const Identity member,
        ParseIdentity(input.members[i], input.expected_member_count, members_path.At(i)));
    RETURN_IF_ERROR(membership.AddMember(member, members_path.At(i)));
  }
  const KeyPath observed_path("observed");
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < input.observed.size(); ++i) {
    ASSIGN_OR_RETURN(
        Observation observation,
        ParseObservation(input.observed[i], input.expected_member_count, observed_path.At(i)));
    if (membership.Has(observation.identity)) {
      RETURN_IF_ERROR(membership.Learn(observation.identity, observed_path.At(i)));
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

Status CheckExpected(const CoverageInput& input, const std::vector<Observation>& observations,
                     const Membership& membership) {
  const KeyPath path("observed");
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const Observation& observation = observations[i];
    const bool slot =
        std::ranges::find(input.expected_slots, observation.slot) != input.expected_slots.end();
    if (slot && membership.Has(observation.identity)) continue;
    return Fail("rc.unexpected",
                fmt::format("pid {} reports `{}`, which is not expected of it",
                            observation.identity.pid, observation.slot),
                path.At(i).where());
  }
  return {};
}

Status CheckComplete(const CoverageInput& input, const std::vector<Observation>& observations,
                     const Membership& membership) {
  std::set<std::tuple<std::string, std::string, std::int64_t>> once;
  std::set<std::pair<std::string, std::int64_t>> covered;
  const KeyPath path("observed");
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const Observation& observation = observations[i];
    const std::int64_t member = membership.KeyOf(observation.identity);
    covered.emplace(observation.slot, member);
    if (once.emplace(observation.slot, observation.variant, member).second) continue;
    return Fail(
        "rc.duplicate",
        fmt::format("pid {} reports `{}` twice", observation.identity.pid, observation.slot),
        path.At(i).where());
  }
  for (const std::string& slot : input.expected_slots) {
    for (const std::int64_t member : membership.Keys()) {
      if (covered.contains({slot, member})) continue;
      return Fail("rc.missing", fmt::format("member {} has not reported `{}`", member, slot));
    }
  }
  if (membership.KnowsEveryRank()) return {};
  return Fail("rc.missing", "no receipt gives a member its rank");
}

}  // namespace

Status CheckCoverage(const CoverageInput& input) {
  RETURN_IF_ERROR(CheckCounts(input));
  Membership membership(input.expected_member_count, !input.members.empty());
  ASSIGN_OR_RETURN(const std::vector<Observation> observations,
                   ReadObservations(input, membership));
  RETURN_IF_ERROR(CheckExpected(input, observations, membership));
  RETURN_IF_ERROR(CheckComplete(input, observations, membership));
  if (input.fallbacks.empty()) return {};
  return Fail("rc.fallback",
              fmt::format("{} receipts say that a call fell back", input.fallbacks.size()));
}

}  // namespace cacheon::artifact
