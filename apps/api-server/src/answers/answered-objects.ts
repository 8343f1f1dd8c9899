import { type ApiObject, apiVersionOf, type Kind, notFound } from "@kintsugi/api";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { type Encodings, negotiate } from "../http/negotiate.ts";
import type { KubeObject } from "../resources/resource.ts";
import { converterOf } from "../table/table-converter.ts";
import { objectWriterFor } from "./object-writer.ts";

interface AnsweredObjects {
  items: readonly ApiObject[];
  /** The requested name; empty for a list. */
  name: string;
  accept: string | undefined;
  encodings: Encodings;
  nowMs: number;
}

/**
 * The answer to a request for objects that are computed for the request and are not stored.
 * @throws ApiError NotFound for a single object that does not exist.
 */
export function answeredObjects(
  { type, table }: Kind,
  { items, name, accept, encodings, nowMs }: AnsweredObjects,
): ApiResponse {
  const [only] = items;
  if (name !== "" && only === undefined) throw notFound(type, name);
  const form = negotiate(accept, encodings.offers.all);
  if (form.as === "Table") {
    const writer = objectWriterFor({ table: converterOf(table) }, form, () => nowMs);
    const rows = items.map((item) => writer.item(item as KubeObject));
    return jsonResponse(200, { ...writer.header(), metadata: {}, rows });
  }
  const apiVersion = apiVersionOf(type);
  if (name !== "") return jsonResponse(200, { ...only, apiVersion });
  const served = items.map((item) => ({ ...item, apiVersion }));
  return jsonResponse(200, { kind: `${type.kind}List`, apiVersion, metadata: {}, items: served });
}
