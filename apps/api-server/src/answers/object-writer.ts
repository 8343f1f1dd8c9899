import type { JsonObject } from "@kintsugi/api";
import type { ResponseForm } from "../http/negotiate.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";

type ConvertedForm = Exclude<ResponseForm, { as: "object" }>;

/** Converts one object to a whole response body: a Table of one row, or the object's metadata. */
export interface ObjectWriter {
  (object: KubeObject): Uint8Array;
  /** The whole body before it is written as JSON. */
  whole(object: KubeObject): JsonObject;
  /** The parts around the rows of a Table; lists write their rows one by one. */
  header(): JsonObject;
  /** One row, or one item. */
  item(object: KubeObject): JsonObject;
}

export function objectWriterFor(
  resource: Pick<Resource, "table">,
  form: ConvertedForm,
  nowMs: () => number,
): ObjectWriter {
  return form.as === "Table" ? tableWriter(resource, form, nowMs) : metadataWriter(form);
}

function tableWriter(
  resource: Pick<Resource, "table">,
  form: Extract<ConvertedForm, { as: "Table" }>,
  nowMs: () => number,
): ObjectWriter {
  const converter = resource.table;
  const header = (): JsonObject => ({
    kind: "Table",
    apiVersion: `meta.k8s.io/${form.version}`,
    columnDefinitions: [...converter.columnDefinitions],
  });
  const item = (object: KubeObject): JsonObject =>
    converter.row(object as unknown as JsonObject, {
      include: form.include ?? "Metadata",
      version: form.version,
      nowMs: nowMs(),
    });
  const whole = (object: KubeObject): JsonObject => ({
    ...header(),
    metadata: { resourceVersion: object.metadata.resourceVersion ?? "" },
    rows: [item(object)],
  });
  return Object.assign((object: KubeObject) => Buffer.from(JSON.stringify(whole(object))), { whole, header, item });
}

function metadataWriter(form: Extract<ConvertedForm, { as: "PartialObjectMetadata" }>): ObjectWriter {
  const apiVersion = `meta.k8s.io/${form.version}`;
  const item = (object: KubeObject): JsonObject =>
    ({ kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata }) as unknown as JsonObject;
  const header = (): JsonObject => ({ kind: "PartialObjectMetadataList", apiVersion });
  return Object.assign((object: KubeObject) => Buffer.from(JSON.stringify(item(object))), {
    whole: item,
    header,
    item,
  });
}
