import { type FieldDescription, oncePer, type TypeDescription } from "@kintsugi/api";

type ObjectDescription = Extract<TypeDescription, { type: "object" }>;

/** The meaning of a field number: a field, or a message whose fields JSON has inline. */
type FieldEntry = FieldDescription | { embedded: FieldTable };
export type FieldTable = ReadonlyMap<number, FieldEntry>;

/** The fields of a type by their numbers in protobuf. */
export const fieldTableOf: (type: ObjectDescription) => FieldTable = oncePer(makeTable);

function makeTable(type: ObjectDescription): FieldTable {
  const table = new Map<number, FieldEntry>();
  const embedded = new Map<number, Map<number, FieldEntry>>();
  for (const field of type.fields.values()) {
    if (field.protoNumber === undefined) {
      continue;
    }
    if (field.protoEmbedded === undefined) {
      table.set(field.protoNumber, field);
      continue;
    }
    const inline = embedded.get(field.protoEmbedded) ?? new Map<number, FieldEntry>();
    inline.set(field.protoNumber, field);
    embedded.set(field.protoEmbedded, inline);
    table.set(field.protoEmbedded, { embedded: inline });
  }
  return table;
}
