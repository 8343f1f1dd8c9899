import type { JsonObject, JsonValue, Kind } from "@kintsugi/api";

/** An object and the cells of its row at `rowsAtMs`. */
export interface TableRow {
  name: string;
  kind: Kind;
  object: JsonObject;
  cells: JsonValue[];
}

export const rowsAtMs = 1_700_000_000_000; // 2023-11-14T22:13:20Z
export const minutesAgo5 = "2023-11-14T22:08:20Z";
export const secondsAgo30 = "2023-11-14T22:12:50Z";

export function listedObject(more: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: "x", creationTimestamp: minutesAgo5, ...metadata }, ...more };
}

export const containers = [
  { name: "a", image: "i1" },
  { name: "b", image: "i2" },
];
