// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verbs, one per file.

#include "src/cli/verb.h"

namespace cacheon::cli {

extern const Verb kCompare;
extern const Verb kDoctor;
extern const Verb kExplain;
extern const Verb kHash;
extern const Verb kInspect;
extern const Verb kManifest;
extern const Verb kNew;
extern const Verb kPack;
extern const Verb kReference;
extern const Verb kReport;
extern const Verb kResolve;
extern const Verb kScan;
extern const Verb kSlots;
extern const Verb kTargets;
extern const Verb kUnpack;
extern const Verb kVerify;

}  // namespace cacheon::cli
