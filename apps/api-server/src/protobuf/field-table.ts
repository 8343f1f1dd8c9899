import { type FieldDescription, oncePer, type TypeDescription } from "@kintsugi/api";

type ObjectDescription = Extract<TypeDescription, { type: "object" }>;

/** The meaning of a field number: a field, or a message whose fields JSON has inline. */
type FieldEntry = FieldDescription | { embedded: FieldTable };
export type FieldTable = ReadonlyMap<number, FieldEntry>;

/** The fields of a type by their numbers in protobuf. */
export const fieldTableOf: (type: ObjectDescription) => FieldTable = oncePer(makeTable);

function makeTable(type: ObjectDescription): FieldTable {
  const table = new Map<number, FieldEntry>();
  for (const field of type.fields.values()) {
    if (field.protoNumber === undefined) continue;
    const outer = field.protoEmbeddedIn === undefined ? table : inlineAt(table, field.protoEmbeddedIn);
    const inner = field.protoEmbedded === undefined ? outer : inlineAt(outer, field.protoEmbedded);
    inner.set(field.protoNumber, field);
  }
  return table;
}

/** The fields of the embedded message at this number. */
function inlineAt(table: Map<number, FieldEntry>, at: number): Map<number, FieldEntry> {
  const entry = table.get(at);
  if (entry !== undefined && "embedded" in entry) return entry.embedded as Map<number, FieldEntry>;
  const embedded = new Map<number, FieldEntry>();
  table.set(at, { embedded });
  return embedded;
}
