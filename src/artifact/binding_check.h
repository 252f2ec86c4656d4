// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bindings against the resources that they name.

#include "cacheon/artifact/export.h"

namespace cacheon::artifact {

// Codes bd.unknown, bd.relation, bd.cast_class, bd.agg_kind, bd.prepare_result, bd.group_cap,
// bd.peer_missing, bd.peer_scope.
Status CheckBindings(const AotExport& row, const ExportContext& context, const KeyPath& path);

// True when the binding lets the kernel write the resource that it names.
bool Writes(const Binding& binding, const ExportContext& context);

// The capability that a group's pointer projection needs; empty for other projections.
std::string_view GroupCapabilityOf(Projection projection);

}  // namespace cacheon::artifact
