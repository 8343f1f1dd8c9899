import type { TypeDescription } from "@kintsugi/api";

/** The addressing of a value's parts: a field's type with the field's own list and map types. */
export interface FieldType {
  type: TypeDescription;
  listType?: string | undefined;
  listMapKeys?: readonly string[] | undefined;
  mapType?: string | undefined;
}
