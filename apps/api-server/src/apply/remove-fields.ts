import type { JsonObject, JsonValue } from "@kintsugi/api";
import type { FieldSet } from "../fields/field-set.ts";
import type { FieldType } from "../fields/field-type.ts";
import { itemStep } from "../fields/list-item-keys.ts";
import { hasBelow, nodeAt } from "../fields/set-algebra.ts";
import { shapeOf } from "../fields/value-shape.ts";
import { isJsonObject } from "../json-value.ts";

/** `value` without the members of `fields`; null for an object or list that becomes empty. */
export function removeFields(value: JsonValue, fields: FieldSet, as: FieldType): JsonValue {
  const shape = shapeOf(as, value);
  switch (shape.kind) {
    case "struct":
      return removeMembers(value, fields, (key) => shape.fields.get(key));
    case "map":
      return removeMembers(value, fields, () => shape.values);
    case "list": {
      const kept = (Array.isArray(value) ? value : []).flatMap((item) => {
        const node = nodeAt(fields, itemStep(item, as, shape.items) ?? "");
        if (node?.itself === true) return [];
        return [node === undefined ? item : removeFields(item, node.below, shape.items)];
      });
      return kept.length === 0 ? null : kept;
    }
    case "leaf":
      return value;
  }
}

function removeMembers(value: JsonValue, fields: FieldSet, typeOf: (key: string) => FieldType | undefined): JsonValue {
  if (!isJsonObject(value)) return null;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const node = nodeAt(fields, `f:${key}`);
    const type = typeOf(key);
    if (node === undefined || type === undefined) kept[key] = member;
    else if (!node.itself) kept[key] = hasBelow(node.below) ? removeFields(member, node.below, type) : member;
  }
  return Object.keys(kept).length === 0 ? null : kept;
}
