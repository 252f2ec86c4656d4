// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Registration of op rows and selection of the one that serves a call. Registration refuses rows
// that can never serve and pairs that could both serve one call; the rows of a slot are then
// compiled into a decision table, so that selecting looks each field up once and allocates nothing.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/policy/descriptor.h"
#include "cacheon/policy/domain.h"
#include "cacheon/policy/eligibility.h"
#include "cacheon/policy/match.h"

namespace cacheon::policy {

struct RouteRow {
  std::string slot;
  std::string variant;
  Eligibility eligibility;
  Place where = {};  // of the row in its manifest; errors about the row carry it
};

enum class RouteOutcome : std::uint8_t {
  kRegistryInactive,  // the candidate side is switched off
  kSlotUnregistered,  // the bundle has no row for the slot
  kOutOfDomain,       // no row serves the call
  kAmbiguous,         // more than one row serves the call
  kSelected,          // exactly one row serves the call; every other outcome serves stock
};
std::string_view RouteOutcomeName(RouteOutcome outcome);  // "selected", ...

struct Selection {
  RouteOutcome outcome = RouteOutcome::kRegistryInactive;
  std::size_t row = 0;  // kSelected only: the index into RouteTable::rows()

  friend bool operator==(const Selection&, const Selection&) = default;
};

// The rows of one slot, frozen. Reading it is thread-safe.
class RouteTable {
 public:
  explicit RouteTable(std::vector<RouteRow> rows);
  ~RouteTable();
  RouteTable(RouteTable&&) noexcept;
  RouteTable& operator=(RouteTable&&) noexcept;

  // In registration order, which never decides.
  std::span<const RouteRow> rows() const { return rows_; }

  // kOutOfDomain, kAmbiguous or kSelected. Does not allocate, lock or format.
  Selection Select(const CallDescriptor& call) const;

  // The rows that serve the call, ascending. For diagnostics and tests.
  std::vector<std::size_t> Accepting(const CallDescriptor& call) const;

  // Why each row refuses the call, by Match(); an empty list is a row that serves it.
  std::vector<std::vector<Mismatch>> Explain(const CallDescriptor& call) const;

 private:
  class Block;  // up to 64 rows, one bit each

  std::vector<RouteRow> rows_;
  std::vector<Block> blocks_;
};

// Every slot's table.
class RouteTables {
 public:
  void set_active(bool active) { active_ = active; }

  Selection Select(std::string_view slot, const CallDescriptor& call) const;
  // nullptr when the slot has no row.
  const RouteTable* Find(std::string_view slot) const;

 private:
  friend class RouteRegistry;

  bool active_ = true;
  std::map<std::string, RouteTable, std::less<>> tables_;
};

// Takes rows one at a time and refuses those that cannot stand beside the earlier ones.
class RouteRegistry {
 public:
  // Codes, in this order: route.variant_name, route.empty_domain, route.duplicate_variant, and
  // route.overlap, whose sentence names the other row and a call that both would serve. A refused
  // row is not registered. Rows of unknown overlap pass; selection catches what they share.
  Status Register(RouteRow row);

  // Freezes what is registered and leaves the registry empty.
  RouteTables Compile();

 private:
  struct Entry {
    RouteRow row;
    Domain domain;
  };
  std::map<std::string, std::vector<Entry>, std::less<>> slots_;
};

}  // namespace cacheon::policy
