import type { JsonObject, JsonValue } from "@kintsugi/api";
import type { FieldSet } from "../fields/field-set.ts";
import type { FieldType } from "../fields/field-type.ts";
import { itemStep } from "../fields/list-item-keys.ts";
import { shapeOf } from "../fields/value-shape.ts";
import { isJsonObject } from "../json-value.ts";

/**
 * Returns the fields that a manager owns by applying `value`: its leaves, the items of its lists
 * and the members of its maps, but not the structs, maps and lists around them. A part that is null
 * or empty represents itself.
 *   {spec: {ports: [{port: 80}], selector: {app: "web"}}}
 *   {"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
 *               "f:selector": {}}}
 */
export function appliedFields(value: JsonValue, as: FieldType): FieldSet {
  const shape = shapeOf(as, value);
  const set: FieldSet = {};
  switch (shape.kind) {
    case "struct":
      if (isJsonObject(value)) addFields(set, value, shape.fields);
      return set;
    case "map":
      for (const [key, member] of Object.entries(isJsonObject(value) ? value : {})) {
        set[`f:${key}`] = owned(below(member, shape.values), true);
      }
      return set;
    case "list":
      for (const item of Array.isArray(value) ? value : []) {
        const step = itemStep(item, as, shape.items);
        if (step !== undefined) set[step] = owned(below(item, shape.items), true);
      }
      return set;
    case "leaf":
      return set;
  }
}

function addFields(set: FieldSet, value: JsonObject, fields: ReadonlyMap<string, FieldType>): void {
  for (const [key, member] of Object.entries(value)) {
    const field = fields.get(key);
    if (field === undefined) continue;
    const isLeaf = shapeOf(field, member).kind === "leaf";
    const isEmpty = member === null || (isJsonObject(member) && Object.keys(member).length === 0);
    const node = owned(below(member, field), isLeaf || isEmpty);
    if (node !== undefined) set[`f:${key}`] = node;
  }
}

function below(value: JsonValue, as: FieldType): FieldSet {
  return appliedFields(value, as);
}

/** A node of a set; `undefined` for a node that is not a member and has no members below it. */
function owned(children: FieldSet, itself: true): FieldSet;
function owned(children: FieldSet, itself: boolean): FieldSet | undefined;
function owned(children: FieldSet, itself: boolean): FieldSet | undefined {
  const hasChildren = Object.keys(children).length > 0;
  if (!itself) return hasChildren ? children : undefined;
  return hasChildren ? { ".": {}, ...children } : {};
}
