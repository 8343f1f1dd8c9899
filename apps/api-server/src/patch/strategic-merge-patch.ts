import { ApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import type { FieldDescription, TypeDescription } from "@kintsugi/api";
import type { ElementOrders } from "./element-order.ts";
import { assertSafeJson, cloneJson, isJsonObject, ownMember } from "../json-value.ts";
import {
  badElementOrderFormat,
  badPatchDirective,
  badPrimitiveListFormat,
  badRetainKeysFormat,
  unexpectedType,
} from "./strategic-merge-errors.ts";
import { type ListMerging, mergeList, objectKey, primitiveKey, reorderList } from "./strategic-merge-list.ts";

const patchDirective = "$patch";
const retainKeysDirective = "$retainKeys";
const elementOrderPrefix = "$setElementOrder/";
const primitiveDeletionPrefix = "$deleteFromPrimitiveList/";

/**
 * Strategic merge patch: lists merge by the keys that the kind's schema declares, and directives
 * (`$patch`, `$retainKeys`, `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`) control
 * the rest. The rules and their order follow upstream's apimachinery/pkg/util/strategicpatch.
 * Neither argument is changed, and the result shares no parts with them.
 */
export function applyStrategicMergePatch(document: JsonObject, patch: unknown, type: TypeDescription): JsonObject {
  assertSafeJson(patch);
  if (!isJsonObject(patch)) {
    throw new ApiError("BadRequest", "invalid JSON document");
  }
  return cloneJson(mergeObject(document, patch, type));
}

function mergeObject(original: JsonObject, patch: JsonObject, type: TypeDescription | undefined): JsonObject {
  const directive = ownMember(patch, patchDirective);
  switch (directive) {
    case undefined:
    case "merge":
      break;
    case "replace":
      return mergeObject({}, withoutMember(patch, patchDirective), type);
    case "delete":
      return {};
    default:
      throw badPatchDirective(directive, patch);
  }
  const result = retainKeys(original, patch);
  const ordered = applyElementOrders(result, patch, type);
  for (const [member, value] of Object.entries(patch)) {
    if (member.startsWith(primitiveDeletionPrefix)) {
      deletePrimitives(result, member.slice(primitiveDeletionPrefix.length), { values: value, type });
    } else if (!isDirective(member) && !ordered.has(member)) {
      mergeMember(result, member, { value, field: fieldOf(type, member) });
    }
  }
  return result;
}

function isDirective(member: string): boolean {
  return member === patchDirective || member === retainKeysDirective || member.startsWith(elementOrderPrefix);
}

function mergeMember(result: JsonObject, member: string, patch: { value: JsonValue; field: Field }): void {
  const { value, field } = patch;
  if (value === null) {
    delete result[member];
    return;
  }
  const current = ownMember(result, member);
  let merged: JsonValue | undefined;
  if (isJsonObject(current) && isJsonObject(value)) {
    merged = field.strategy === "replace" ? newValue(value, field) : mergeObject(current, value, field.type);
  } else if (Array.isArray(current) && Array.isArray(value)) {
    merged = mergeListMember(current, value, field);
  } else {
    merged = newValue(value, field);
  }
  if (merged === undefined) {
    delete result[member];
  } else {
    result[member] = merged;
  }
}

function mergeListMember(current: JsonValue[], patch: JsonValue[], field: Field): JsonValue[] {
  return field.strategy === "merge" ? mergeList(current, patch, listMergingOf(field)) : patch;
}

function listMergingOf(field: Field): ListMerging {
  const elementType = field.type?.type === "list" ? field.type.items : undefined;
  return {
    mergeKey: field.mergeKey,
    mergeElement: (original, patch) => mergeObject(original, patch, elementType),
    newElement: (patch) => mergeObject({}, patch, elementType),
  };
}

/**
 * Returns a patch's value for a place where the document has no value to merge it with. Directives
 * and nulls apply only to existing values, so both are removed. Undefined means that the patch
 * deletes a value that does not exist.
 */
function newValue(value: JsonValue, field: Field): JsonValue | undefined {
  if (isJsonObject(value)) {
    return ownMember(value, patchDirective) === "delete" ? undefined : mergeObject({}, value, field.type);
  }
  if (Array.isArray(value) && field.strategy === "merge") {
    const merging = listMergingOf(field);
    return value
      .filter((element) => !isJsonObject(element) || !Object.hasOwn(element, patchDirective))
      .map((element) => (isJsonObject(element) ? merging.newElement(element) : element));
  }
  return value;
}

/**
 * `$retainKeys` lists the only members that are retained. It has to name every member that the
 * patch sets.
 */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const directive = ownMember(patch, retainKeysDirective);
  if (directive === undefined) {
    return { ...original };
  }
  if (!Array.isArray(directive)) {
    throw badRetainKeysFormat();
  }
  const retained = new Set(directive);
  for (const [member, value] of Object.entries(patch)) {
    const setsMember = value !== null && !isDirective(member) && !member.startsWith(primitiveDeletionPrefix);
    if (setsMember && !retained.has(member)) {
      throw badRetainKeysFormat();
    }
  }
  return Object.fromEntries(Object.entries(original).filter(([member]) => retained.has(member)));
}

/**
 * Merges and orders every list that has a `$setElementOrder`. Returns their names, because these
 * lists do not have to be merged again.
 */
function applyElementOrders(result: JsonObject, patch: JsonObject, type: TypeDescription | undefined): Set<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(elementOrderPrefix)) {
      continue;
    }
    const member = directive.slice(elementOrderPrefix.length);
    if (!Array.isArray(order)) {
      throw badElementOrderFormat();
    }
    const field = fieldOf(type, member);
    const [current, changes] = [listMember(result, member), listMember(patch, member)];
    assertOrderNames(order, changes ?? [], field.mergeKey);
    const list = current === undefined || changes === undefined ? undefined : mergeListMember(current, changes, field);
    const merged = list ?? current ?? (changes === undefined ? undefined : newValue(changes, field));
    if (!Array.isArray(merged)) {
      continue;
    }
    const orders: ElementOrders = { patch: order, server: current ?? [] };
    result[member] = reorderList(merged, orders, field.mergeKey);
    done.add(member);
  }
  return done;
}

function listMember(object: JsonObject, member: string): JsonValue[] | undefined {
  const value = ownMember(object, member);
  if (value !== undefined && !Array.isArray(value)) {
    throw unexpectedType("[]interface {}", value);
  }
  return value;
}

/**
 * The patch list's elements have to appear in the order list, in the same order; deletions need not
 * appear.
 */
function assertOrderNames(order: JsonValue[], changes: JsonValue[], mergeKey: string | undefined): void {
  if (order.length === 0) {
    return;
  }
  const keyOf = mergeKey === undefined ? primitiveKey : objectKey(mergeKey);
  let next = 0;
  for (const change of changes) {
    if (isJsonObject(change) && Object.hasOwn(change, patchDirective)) {
      continue;
    }
    const key = keyOf(change);
    while (next < order.length && keyOf(order[next] ?? null) !== key) {
      next += 1;
    }
    if (next === order.length) {
      throw new ApiError("BadRequest", "The order in patch list doesn't match $setElementOrder list");
    }
    next += 1;
  }
}

function deletePrimitives(
  result: JsonObject,
  member: string,
  deletion: { values: JsonValue; type: TypeDescription | undefined },
): void {
  const { values, type } = deletion;
  const mergeable = fieldOf(type, member).strategy === "merge";
  if (!Array.isArray(values) || !mergeable || values.some((value) => typeof value === "object" && value !== null)) {
    throw badPrimitiveListFormat();
  }
  const current = listMember(result, member);
  if (current !== undefined) {
    const deleted = new Set(values);
    result[member] = current.filter((element) => !deleted.has(element));
  }
}

/** The rules by which a member merges. */
interface Field {
  readonly type: TypeDescription | undefined;
  readonly strategy: "merge" | "replace" | undefined;
  readonly mergeKey: string | undefined;
}

function fieldOf(type: TypeDescription | undefined, member: string): Field {
  if (type?.type === "map") {
    return { type: type.values, strategy: undefined, mergeKey: undefined };
  }
  const field = type?.type === "object" ? type.fields.get(member) : undefined;
  return { type: field?.type, strategy: strategyOf(field), mergeKey: field?.patchMergeKey };
}

/** "retainKeys" together with "merge" only makes clients send `$retainKeys`. */
function strategyOf(field: FieldDescription | undefined): "merge" | "replace" | undefined {
  const strategies = field?.patchStrategy?.split(",") ?? [];
  return strategies.find((strategy) => strategy === "merge" || strategy === "replace");
}

function withoutMember(object: JsonObject, member: string): JsonObject {
  const { [member]: _, ...rest } = object;
  return rest;
}
