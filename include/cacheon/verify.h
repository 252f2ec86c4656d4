// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// verify: the procedure that turns a bundle into a verdict. It plans cases, owns their memory, asks
// a worker for calls, and judges what the memory holds afterwards. It trusts nothing that a worker
// says.

#include "cacheon/verify/options.h"          // IWYU pragma: export
#include "cacheon/verify/verdict.h"          // IWYU pragma: export
#include "cacheon/verify/verdict_choices.h"  // IWYU pragma: export
#include "cacheon/verify/verify.h"           // IWYU pragma: export
