// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// tensor: element types with exact conversions, layouts with checked arithmetic, non-owning views
// that convert to and from DLPack, the NVFP4 codec, what a call demands of its tensors, and the
// comparators that judge one tensor against another. It owns no memory and knows no slot.

#include "cacheon/tensor/compare.h"  // IWYU pragma: export
#include "cacheon/tensor/dlpack.h"   // IWYU pragma: export
#include "cacheon/tensor/dtype.h"    // IWYU pragma: export
#include "cacheon/tensor/layout.h"   // IWYU pragma: export
#include "cacheon/tensor/nvfp4.h"    // IWYU pragma: export
#include "cacheon/tensor/spec.h"     // IWYU pragma: export
#include "cacheon/tensor/view.h"     // IWYU pragma: export
