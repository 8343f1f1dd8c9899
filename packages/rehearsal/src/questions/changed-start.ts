import { type ApiObject, applyDefaults } from "@kintsugi/api";
import type { StartState } from "../model/start-state.ts";
import type { ProposedChange } from "./propose-changes.ts";

/** The start with a change applied, before its controllers roll it out. */
export function changedStart(start: StartState, { resource, namespace, name, patch }: ProposedChange): StartState {
  return {
    ...start,
    unfinishedKeys: undefined,
    objects: start.objects.map(({ kind, object }) => {
      const { metadata } = object;
      const isMeant =
        kind.type.resource === resource && metadata.name === name && (metadata.namespace ?? "") === namespace;
      if (!isMeant) return { kind, object };
      const merged = merge(object, patch) as ApiObject;
      merged.metadata.generation = (metadata.generation ?? 0) + 1;
      return { kind, object: applyDefaults(kind, merged) };
    }),
  };
}

/** A merge patch of RFC 7386; the given values are not modified. */
function merge(value: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return structuredClone(patch);
  const merged: Record<string, unknown> = { ...(structuredClone(value) as Record<string, unknown> | undefined) };
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete merged[key];
    else merged[key] = merge(merged[key], change);
  }
  return merged;
}
