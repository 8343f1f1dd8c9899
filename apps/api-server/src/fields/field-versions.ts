import type { JsonObject } from "@kintsugi/api";
import { compareFields, type FieldChanges } from "./compare-fields.ts";
import type { FieldSet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { tracked } from "./tracked-fields.ts";
import { withoutBranches } from "./set-algebra.ts";

// Owners are recorded in the version in which they wrote, and compared in that version.
//
//   one, in v2, owns {host, port}     two, in v1, owns {hostPort}
//   one changes port in v2:           the object before and after it in v1 differ in hostPort,
//                                     which two loses

/** The versions in which the objects of one kind are served. */
export interface FieldVersions {
  /** The type of the objects of a version; undefined where the kind has no such version. */
  typeOf(apiVersion: string): FieldType | undefined;
  /** Returns the object converted to one of these versions. The given object is unchanged. */
  convert(object: JsonObject, apiVersion: string): JsonObject;
}

/** Objects that have the same fields in every version. */
export function sameInEveryVersion(type: FieldType): FieldVersions {
  return { typeOf: () => type, convert: (object) => object };
}

/**
 * Returns the changes between two objects as the owners of one version see them, except `resets`;
 * undefined for a version that the kind does not have.
 */
export function changesByVersion(
  { before, after }: { before: JsonObject; after: JsonObject },
  versions: FieldVersions,
  resets: FieldSet,
): (apiVersion: string) => FieldChanges | undefined {
  const known = new Map<string, FieldChanges | undefined>();
  const compare = (apiVersion: string): FieldChanges | undefined => {
    const type = versions.typeOf(apiVersion);
    if (type === undefined) return undefined;
    const [old, next] = [before, after].map((object) => tracked(versions.convert(object, apiVersion)));
    const { changed, removed } = compareFields(old as JsonObject, next as JsonObject, type);
    return { changed: withoutBranches(changed, resets), removed: withoutBranches(removed, resets) };
  };
  return (apiVersion) => {
    if (!known.has(apiVersion)) known.set(apiVersion, compare(apiVersion));
    return known.get(apiVersion);
  };
}
