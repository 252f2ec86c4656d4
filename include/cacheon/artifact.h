// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// artifact: the schema side of sealed direct artifacts. Rows of a manifest become checked types;
// each reference of a device plan is joined to its typed binding; identities and digests are
// computed over canonical forms; CUBINs are inspected and matched to a plan. Nothing here talks to
// a driver or runs a compiler.

#include "cacheon/artifact/architecture.h"      // IWYU pragma: export
#include "cacheon/artifact/binding.h"           // IWYU pragma: export
#include "cacheon/artifact/call_abi.h"          // IWYU pragma: export
#include "cacheon/artifact/compile_profile.h"   // IWYU pragma: export
#include "cacheon/artifact/cubin.h"             // IWYU pragma: export
#include "cacheon/artifact/cubin_inventory.h"   // IWYU pragma: export
#include "cacheon/artifact/device_plan.h"       // IWYU pragma: export
#include "cacheon/artifact/evaluate.h"          // IWYU pragma: export
#include "cacheon/artifact/export.h"            // IWYU pragma: export
#include "cacheon/artifact/expression.h"        // IWYU pragma: export
#include "cacheon/artifact/fast_divmod.h"       // IWYU pragma: export
#include "cacheon/artifact/hex_float.h"         // IWYU pragma: export
#include "cacheon/artifact/identity.h"          // IWYU pragma: export
#include "cacheon/artifact/key_path.h"          // IWYU pragma: export
#include "cacheon/artifact/launch.h"            // IWYU pragma: export
#include "cacheon/artifact/limits.h"            // IWYU pragma: export
#include "cacheon/artifact/live_extent.h"       // IWYU pragma: export
#include "cacheon/artifact/live_frame.h"        // IWYU pragma: export
#include "cacheon/artifact/materialize.h"       // IWYU pragma: export
#include "cacheon/artifact/op_artifact.h"       // IWYU pragma: export
#include "cacheon/artifact/parameter.h"         // IWYU pragma: export
#include "cacheon/artifact/plan_selection.h"    // IWYU pragma: export
#include "cacheon/artifact/publication_path.h"  // IWYU pragma: export
#include "cacheon/artifact/receipt_coverage.h"  // IWYU pragma: export
#include "cacheon/artifact/resource_plan.h"     // IWYU pragma: export
#include "cacheon/artifact/row_checker.h"       // IWYU pragma: export
#include "cacheon/artifact/scalar_pack.h"       // IWYU pragma: export
#include "cacheon/artifact/scalar_type.h"       // IWYU pragma: export
#include "cacheon/artifact/tma.h"               // IWYU pragma: export
#include "cacheon/artifact/tma_descriptor.h"    // IWYU pragma: export
