// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// bundle: what a contribution is on disk. Its tree and content hash, its archive, its manifest and
// the other documents in it. Reading grants nothing: no source is imported, no target is resolved
// and no kernel is run here.

#include "cacheon/bundle/archive.h"           // IWYU pragma: export
#include "cacheon/bundle/artifact_rows.h"     // IWYU pragma: export
#include "cacheon/bundle/content_hash.h"      // IWYU pragma: export
#include "cacheon/bundle/declared_path.h"     // IWYU pragma: export
#include "cacheon/bundle/key_path.h"          // IWYU pragma: export
#include "cacheon/bundle/manifest.h"          // IWYU pragma: export
#include "cacheon/bundle/mode.h"              // IWYU pragma: export
#include "cacheon/bundle/patch.h"             // IWYU pragma: export
#include "cacheon/bundle/publication_name.h"  // IWYU pragma: export
#include "cacheon/bundle/text.h"              // IWYU pragma: export
#include "cacheon/bundle/tree.h"              // IWYU pragma: export
#include "cacheon/bundle/tree_contents.h"     // IWYU pragma: export
