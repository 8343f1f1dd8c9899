import type { PrepareContext } from "@kintsugi/api";
import type { EntryIndex } from "@kintsugi/store";
import type { KubeObject, Resource } from "./resource.ts";

/** Returns the facts of an object that lists, watches and sweeps need without parsing it. */
export function indexEntry(resource: Resource, object: KubeObject, context: PrepareContext): EntryIndex {
  return indexObject(resource, object, resource.kind.strategy.expiresAtMs?.(object, context));
}

/** The facts of an object that never expires or whose time of expiry is already known. */
export function indexObject(
  resource: Pick<Resource, "kind">,
  object: KubeObject,
  expiresAtMs: number | undefined,
): EntryIndex {
  const { metadata } = object;
  const fields = fieldValues(resource, object);
  return {
    uid: metadata.uid ?? "",
    ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
    ...(fields === undefined ? {} : { fields }),
    ...(metadata.ownerReferences === undefined ? {} : { owners: metadata.ownerReferences.map((owner) => owner.uid) }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(metadata.deletionTimestamp === undefined ? {} : { deleting: true }),
  };
}

function fieldValues(resource: Pick<Resource, "kind">, object: KubeObject): Record<string, string> | undefined {
  const { selectable, indexed } = resource.kind;
  if (selectable === undefined && indexed === undefined) return undefined;
  const values: Record<string, string> = {};
  for (const fields of [selectable, indexed]) {
    for (const name of Object.keys(fields ?? {})) values[name] = fields?.[name]?.(object) ?? "";
  }
  return values;
}
