import { ApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import type { FieldType } from "../fields/field-type.ts";
import { itemStep, keyDefaultOf } from "../fields/list-item-keys.ts";
import { stepText } from "../fields/set-algebra.ts";
import { goType, goValue } from "./go-text.ts";
import { isJsonObject } from "../json-value.ts";

/**
 * Rejects an object with a field that the kind does not have, a value of the wrong type, or a list
 * with duplicate items. Upstream cannot make a typed object of it and reports an internal error:
 * 500, without a reason.
 * @throws ApiError
 */
export function assertTyped(applied: JsonObject, as: FieldType, name: string): void {
  const faults = faultsOf(applied, as, "");
  if (faults.length === 0) return;
  const text = faults.length === 1 ? (faults[0] ?? "") : ["errors:", ...faults.map((fault) => `  ${fault}`)].join("\n");
  throw new ApiError("Unknown", `failed to create typed patch object (${name}): ${text}`);
}

/** Further faults would not help a client, and a body of 3 MiB could have a million. */
const faultsMax = 100;

function faultsOf(value: JsonValue, as: FieldType, path: string): string[] {
  if (value === null) return [];
  const say = (fault: string): string[] => [path === "" ? fault : `${path}: ${fault}`];
  const { type } = as;
  switch (type.type) {
    case "object":
      if (!isJsonObject(value)) return say(`expected map, got &{${goValue(value)}}`);
      return faultsOfMembers(value, path, (key) => type.fields.get(key));
    case "map":
      if (!isJsonObject(value)) return say(`expected map, got &{${goValue(value)}}`);
      return faultsOfMembers(value, path, () => ({ type: type.values }));
    case "list":
      if (!Array.isArray(value)) return say(`expected list, got &{${goValue(value)}}`);
      return faultsOfItems(value, as, { items: { type: type.items }, path });
    case "string":
      if (typeof value === "string" || type.format === "int-or-string" || type.format === "quantity") return [];
      return say(`expected string, got &value.valueUnstructured{Value:${goValue(value)}}`);
    case "integer":
    case "number":
      return typeof value === "number" ? [] : say(`expected numeric (int or float), got ${goType(value)}`);
    case "boolean":
      return typeof value === "boolean" ? [] : say(`expected boolean, got &{${goValue(value)}}`);
    case "any":
      return [];
  }
}

function faultsOfMembers(value: JsonObject, path: string, typeOf: (key: string) => FieldType | undefined): string[] {
  const faults: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const type = typeOf(key);
    // Upstream stops at the first of these faults.
    if (type === undefined) return [...faults, `${path}.${key}: field not declared in schema`];
    faults.push(...faultsOf(member, type, `${path}.${key}`));
    if (faults.length >= faultsMax) break;
  }
  return faults.slice(0, faultsMax);
}

function faultsOfItems(
  list: readonly JsonValue[],
  as: FieldType,
  { items, path }: { items: FieldType; path: string },
): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const [index, item] of list.entries()) {
    if (faults.length >= faultsMax) break;
    const keyed = as.listType === "set" || as.listType === "map";
    const without = keyed ? cannotBeTold(item, as, items) : undefined;
    if (without !== undefined) return [...faults, `${path}: element ${index}: ${without}`];
    const step = keyed ? (itemStep(item, as, items) ?? "") : `i:${index}`;
    if (seen.has(step)) faults.push(`${path}: duplicate entries for key ${stepText(step)}`);
    seen.add(step);
    faults.push(...faultsOf(item, items, path + stepText(step)));
  }
  return faults.slice(0, faultsMax);
}

/** Returns the reason why an item has no key; undefined when it has a key. */
function cannotBeTold(item: JsonValue, as: FieldType, items: FieldType): string | undefined {
  if (as.listType === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(item)) return "not supported: associative list with lists as elements";
    return typeof item === "object" ? "associative list without keys has an element that's a map type" : undefined;
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
  const missing = as.listMapKeys?.find((key) => item[key] === undefined && keyDefaultOf(items, key) === undefined);
  if (missing === undefined) return undefined;
  return `associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`;
}
