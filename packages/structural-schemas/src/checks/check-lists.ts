import type { Faults, JsonSchema } from "@kintsugi/api";
import { itemsOf, propertyOf } from "../schema-parts.ts";

/** Finds faults in the types of lists and maps, by which server-side apply merges them. */
export function checkListsAndMaps(schema: JsonSchema, path: string, faults: Faults): void {
  const { "x-kubernetes-map-type": mapType, "x-kubernetes-list-type": listType } = schema;
  if (mapType !== undefined) {
    checkTypeIs("object", schema, { path, because: "x-kubernetes-map-type is specified", faults });
    const known = ["atomic", "granular"];
    if (!known.includes(mapType)) faults.notSupported(`${path}.x-kubernetes-map-type`, mapType, known);
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== undefined) {
    checkTypeIs("array", schema, { path, because: "x-kubernetes-list-type is specified", faults });
    const known = ["atomic", "set", "map"];
    if (!known.includes(listType)) faults.notSupported(`${path}.x-kubernetes-list-type`, listType, known);
  }
  if (keys.length > 0 && listType !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (listType === undefined) faults.required(`${path}.x-kubernetes-list-type`, why);
    else faults.invalid(`${path}.x-kubernetes-list-type`, listType, why);
  }
  if (listType === "set") checkSet(schema, path, faults);
  if (listType === "map") checkMapList(schema, path, faults);
}

function checkTypeIs(
  wanted: string,
  { type = "" }: JsonSchema,
  { path, because, faults }: { path: string; because: string; faults: Faults },
): void {
  if (type === wanted) return;
  const why = `must be ${wanted} if ${because}`;
  if (type === "") faults.required(`${path}.type`, why);
  else faults.invalid(`${path}.type`, type, why);
}

function checkSet(schema: JsonSchema, path: string, faults: Faults): void {
  const items = itemsOf(schema);
  if (items === undefined) return;
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const { "x-kubernetes-list-type": listType = "atomic", "x-kubernetes-map-type": mapType } = items;
  if (items.type === "array" && listType !== "atomic") {
    faults.invalid(`${path}.items.x-kubernetes-list-type`, listType, why);
  }
  if (items.type === "object" && mapType !== "atomic") {
    faults.invalid(`${path}.items.x-kubernetes-map-type`, mapType, why);
  }
  checkNotNullable(items, "set", { path, faults });
}

function checkNotNullable(items: JsonSchema, listType: string, context: { path: string; faults: Faults }): void {
  if (items.nullable !== true) return;
  context.faults.forbidden(
    `${context.path}.items.nullable`,
    `cannot be nullable when x-kubernetes-list-type is ${listType}`,
  );
}

function checkMapList(schema: JsonSchema, path: string, faults: Faults): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length === 0) {
    faults.required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map");
  }
  if (schema.items === undefined) {
    return faults.required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map");
  }
  const items = itemsOf(schema);
  if (items === undefined) {
    return faults.invalid(
      `${path}.items`,
      schema.items,
      "must only have a single schema if x-kubernetes-list-type is map",
    );
  }
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    faults.invalid(`${path}.items.type`, items.type ?? "", why);
  } else checkKeys(keys, items, { path, faults });
  checkNotNullable(items, "map", { path, faults });
}

function checkKeys(
  keys: readonly string[],
  items: JsonSchema,
  { path, faults }: { path: string; faults: Faults },
): void {
  const seen = new Set<string>();
  for (const key of keys) {
    const property = propertyOf(items, key);
    const at = `${path}.items.properties[${key}]`;
    if (property === undefined) {
      faults.invalid(`${path}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties");
    } else if (property.type === "array" || property.type === "object") {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      faults.invalid(`${at}.type`, items.type, why);
    }
    if (seen.has(key)) {
      faults.invalid(`${path}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries");
    }
    seen.add(key);
    const isKey = "this property is in x-kubernetes-list-map-keys, so it";
    if (property !== undefined && items.required?.includes(key) !== true && property.default === undefined) {
      faults.required(`${at}.default`, `${isKey} must have a default or be a required property`);
    }
    if (property?.nullable === true) faults.forbidden(`${at}.nullable`, `${isKey} cannot be nullable`);
  }
}
