// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// slots: the catalogue of registered computations. A slot's contract is written once, as data,
// beside one reference function and the cases that exercise it; verification, artifact joins,
// dispatch and the documents derive from it.

#include "cacheon/slots/audit.h"         // IWYU pragma: export
#include "cacheon/slots/case.h"          // IWYU pragma: export
#include "cacheon/slots/contract.h"      // IWYU pragma: export
#include "cacheon/slots/grading.h"       // IWYU pragma: export
#include "cacheon/slots/input_values.h"  // IWYU pragma: export
#include "cacheon/slots/slot.h"          // IWYU pragma: export
