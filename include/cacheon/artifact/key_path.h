// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A place inside a document, built without allocation while a reader goes down: each step refers to
// its parent on the stack, and the text is made only when something is wrong there.

#include <cstddef>
#include <string>
#include <string_view>

#include "cacheon/core/error.h"

namespace cacheon::artifact {

// Caveat: a path refers to its parent, so it must not outlive it. Pass it by const reference and
// keep only Text().
class KeyPath {
 public:
  // `root` is already in the form of Text(), for example `ops[2]`; it may be empty.
  constexpr explicit KeyPath(std::string_view root) : key_(root) {}

  // The member `key` of the table at this path.
  constexpr KeyPath Key(std::string_view key) const { return KeyPath(this, key, -1); }
  // Element `index` of the list at this path.
  constexpr KeyPath At(std::size_t index) const {
    return KeyPath(this, {}, static_cast<std::ptrdiff_t>(index));
  }

  // `ops[2].aot_exports[0].specializes."input.eps"`: keys that TOML would quote are quoted.
  std::string Text() const;
  Place where() const { return {.key_path = Text()}; }

 private:
  constexpr KeyPath(const KeyPath* parent, std::string_view key, std::ptrdiff_t index)
      : parent_(parent), key_(key), index_(index) {}

  const KeyPath* parent_ = nullptr;
  std::string_view key_;
  std::ptrdiff_t index_ = -1;
};

}  // namespace cacheon::artifact
