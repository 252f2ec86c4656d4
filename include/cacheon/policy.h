// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// policy: what can be decided about a bundle without running a line of it. Which calls a row offers
// to serve and whether two rows collide, which target a bundle competes for and whether its
// features are admitted there, and what its sources say to a static scan.

#include "cacheon/policy/coverage.h"        // IWYU pragma: export
#include "cacheon/policy/declare.h"         // IWYU pragma: export
#include "cacheon/policy/descriptor.h"      // IWYU pragma: export
#include "cacheon/policy/domain.h"          // IWYU pragma: export
#include "cacheon/policy/eligibility.h"     // IWYU pragma: export
#include "cacheon/policy/field.h"           // IWYU pragma: export
#include "cacheon/policy/live_fields.h"     // IWYU pragma: export
#include "cacheon/policy/match.h"           // IWYU pragma: export
#include "cacheon/policy/provider.h"        // IWYU pragma: export
#include "cacheon/policy/rebuild_plan.h"    // IWYU pragma: export
#include "cacheon/policy/resolve.h"         // IWYU pragma: export
#include "cacheon/policy/routing.h"         // IWYU pragma: export
#include "cacheon/policy/scan.h"            // IWYU pragma: export
#include "cacheon/policy/scan_input.h"      // IWYU pragma: export
#include "cacheon/policy/target_catalog.h"  // IWYU pragma: export
