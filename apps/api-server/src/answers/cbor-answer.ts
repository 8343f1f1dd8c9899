import type { JsonObject, JsonValue, TypeDescription } from "@kintsugi/api";
import { cborBody, cborItem, cborListOpening } from "../cbor/index.ts";
import type { DescribeKind } from "../http/body.ts";
import { isJsonObject } from "../json-value.ts";

/**
 * An answer in CBOR, which can represent every JSON value. For a known kind, byte fields are byte
 * strings.
 */
export function cborAnswer(answer: JsonObject, describe: DescribeKind): Uint8Array {
  const { items, rows, ...members } = answer;
  const { apiVersion, kind } = answer;
  if (kind === "Table" && Array.isArray(rows))
    return cborList(
      members,
      "rows",
      rows.map((row) => rowOf(row, describe)),
    );
  if (typeof apiVersion !== "string" || typeof kind !== "string") return cborBody(answer);
  const type = describe(apiVersion, kind);
  if (type !== undefined || !Array.isArray(items)) return cborBody(answer, type);
  const itemType = describe(apiVersion, kind.replace(/List$/, ""));
  return cborList(
    members,
    "items",
    items.map((item) => cborItem(item, itemType)),
  );
}

function cborList(members: JsonObject, list: "items" | "rows", parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([cborListOpening(members, list, parts.length), ...parts]);
}

/** One row of a Table. Its object may be included as a whole. */
function rowOf(row: JsonValue, describe: DescribeKind): Uint8Array {
  if (!isJsonObject(row) || !isJsonObject(row["object"])) return cborItem(row);
  const { apiVersion, kind } = row["object"];
  const type = typeof apiVersion === "string" && typeof kind === "string" ? describe(apiVersion, kind) : undefined;
  return cborItem(row, type && rowType(type));
}

function rowType(object: TypeDescription): TypeDescription {
  return {
    type: "object",
    name: "",
    fields: new Map([["object", { name: "object", type: object, required: false }]]),
  };
}
