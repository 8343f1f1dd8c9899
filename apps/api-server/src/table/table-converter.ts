import { type ApiObject, type Column, defaultTable, type JsonObject, type KindTable } from "@kintsugi/api";

/** Makes the rows of a meta.k8s.io Table. */
export interface TableConverter {
  /** meta.k8s.io TableColumnDefinition: name, type, format, description, priority. */
  readonly columnDefinitions: readonly JsonObject[];
  /**
   * meta.k8s.io TableRow: cells and, by `include`, the object (PartialObjectMetadata, the whole
   * object, or no object).
   */
  row(object: JsonObject, options: TableRowOptions): JsonObject;
}

interface TableRowOptions {
  include: "None" | "Metadata" | "Object";
  /** "v1" or "v1beta1": the version of meta.k8s.io in PartialObjectMetadata. */
  version: string;
  nowMs: number;
}

/** The converter of a kind's columns; a kind without columns gets Name and Created At. */
export function converterOf<T extends ApiObject>(table: KindTable<T> = defaultTable): TableConverter {
  return {
    columnDefinitions: table.columns.map((column: Column): JsonObject => ({ ...column })),
    row(object, options) {
      // Stored objects have passed the kind's schema, so they have the kind's shape.
      const typed = object as unknown as T;
      const conditions = (table.conditions?.(typed) ?? []).map((condition): JsonObject => ({ ...condition }));
      return {
        cells: table.cells(typed, options.nowMs),
        ...(conditions.length === 0 ? {} : { conditions }),
        object: rowObject(object, options),
      };
    },
  };
}

function rowObject(object: JsonObject, { include, version }: TableRowOptions): JsonObject | null {
  switch (include) {
    case "None":
      return null;
    case "Object":
      return object;
    case "Metadata":
      return {
        kind: "PartialObjectMetadata",
        apiVersion: `meta.k8s.io/${version}`,
        metadata: object["metadata"] ?? {},
      };
  }
}
