// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How strictly a bundle is read. The mode decides what is refused and what is only said; it never
// changes an identity, a hash or a digest.

namespace cacheon::bundle {

enum class Mode {
  kCompat,  // accepts and refuses exactly what the published implementation does
  kStrict,  // the default: also warns about what is accepted but weak
};

}  // namespace cacheon::bundle
