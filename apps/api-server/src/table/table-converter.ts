import type { ResourceType } from "@kintsugi/api";
import type { JsonObject } from "../json.ts";

export interface TableConverter {
  /** meta.k8s.io TableColumnDefinition: name, type, format, description, priority. */
  readonly columnDefinitions: readonly JsonObject[];
  /** meta.k8s.io TableRow: cells and, by `include`, the object (PartialObjectMetadata, whole, or none). */
  row(object: JsonObject, options: TableRowOptions): JsonObject;
}

export interface TableRowOptions {
  include: "None" | "Metadata" | "Object";
  /** "v1" or "v1beta1": the version of meta.k8s.io in PartialObjectMetadata. */
  version: string;
  nowMs: number;
}

/** The columns upstream prints for the kind; Name and Created At for one it does not know. */
export type TableConverterFor = (type: ResourceType) => TableConverter;
