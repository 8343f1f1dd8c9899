import type { JsonObject, JsonValue } from "@kintsugi/api";
import { type ElementKey, type ElementOrders, orderElements, rankElements } from "./element-order.ts";
import { isJsonObject, ownMember } from "../json-value.ts";
import {
  badPatchDirective,
  elementTypesDiffer,
  listOfLists,
  missingMergeKey,
  noMergeKeyDeclared,
} from "./strategic-merge-errors.ts";

/** The rules by which the elements of one list merge. */
export interface ListMerging {
  /** The member that identifies elements; absent for lists of primitives. */
  readonly mergeKey: string | undefined;
  /** Returns the element after its patch. */
  mergeElement(original: JsonObject, patch: JsonObject): JsonValue;
  /** Returns a patch element as a new element. */
  newElement(patch: JsonObject): JsonValue;
}

/** Merges a patch list into a list whose strategy is "merge". */
export function mergeList(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  merging: ListMerging,
): JsonValue[] {
  if (patch.length === 0) {
    return [...original];
  }
  if (!haveObjects(original, patch)) {
    return orderElements([...new Set([...original, ...patch])], { patch, server: original }, primitiveKey);
  }
  const { mergeKey } = merging;
  if (mergeKey === undefined) {
    throw noMergeKeyDeclared();
  }
  const { kept, changes } = applyListDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeObjects(kept, changes, merging);
  return orderElements(merged, { patch: changes, server: kept }, objectKey(mergeKey));
}

/** Puts the list in the order of a `$setElementOrder` directive. */
export function reorderList(
  list: readonly JsonValue[],
  orders: ElementOrders,
  mergeKey: string | undefined,
): JsonValue[] {
  return orderElements(list, orders, mergeKey === undefined ? primitiveKey : objectKey(mergeKey));
}

export function primitiveKey(element: JsonValue): JsonValue {
  return element;
}

/** Returns the value of the merge key; an element without the merge key cannot be identified. */
export function objectKey(mergeKey: string): ElementKey {
  return (element) => {
    if (!isJsonObject(element)) {
      throw elementTypesDiffer([element]);
    }
    const key = ownMember(element, mergeKey);
    if (key === undefined) {
      throw missingMergeKey(element, mergeKey);
    }
    return key;
  };
}

/**
 * Reports whether the lists hold objects. Lists that also hold other values, or that hold lists,
 * cannot be merged.
 */
function haveObjects(...lists: readonly (readonly JsonValue[])[]): boolean {
  let kind: string | undefined;
  for (const element of lists.flat()) {
    const elementKind = kindOf(element);
    if (elementKind === "list") {
      throw listOfLists();
    }
    if (elementKind === "null" || (kind !== undefined && elementKind !== kind)) {
      throw elementTypesDiffer(lists.flat());
    }
    kind = elementKind;
  }
  return kind === "object";
}

function kindOf(value: JsonValue): string {
  if (value === null) {
    return "null";
  }
  return Array.isArray(value) ? "list" : typeof value;
}

/**
 * Applies `$patch: delete` and `$patch: replace`, and returns the elements that remain to be
 * merged.
 */
function applyListDirectives(original: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string) {
  const keyOf = objectKey(mergeKey);
  const changes: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let replaced = false;
  for (const element of patch) {
    const directive = ownMember(element, "$patch");
    switch (directive) {
      case undefined:
        changes.push(element);
        break;
      case "delete":
        deleted.add(keyOf(element));
        break;
      case "replace":
        replaced = true;
        break;
      default:
        throw badPatchDirective(directive, element);
    }
  }
  const kept = replaced ? [] : original.filter((element) => !deleted.has(ownMember(element, mergeKey) ?? null));
  return { kept, changes };
}

function mergeObjects(
  original: readonly JsonObject[],
  changes: readonly JsonObject[],
  merging: ListMerging,
): JsonValue[] {
  const keyOf = objectKey(merging.mergeKey ?? "");
  const merged: JsonValue[] = [...original];
  const positions = rankElements(original, (element) => (isJsonObject(element) ? keyOf(element) : null));
  for (const change of changes) {
    const key = keyOf(change);
    const position = positions.get(key);
    const current = position === undefined ? undefined : merged[position];
    if (position === undefined || !isJsonObject(current)) {
      positions.set(key, merged.length);
      merged.push(merging.newElement(change));
    } else {
      merged[position] = merging.mergeElement(current, change);
    }
  }
  return merged;
}
