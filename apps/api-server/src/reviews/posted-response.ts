import type { ObjectMeta } from "@kintsugi/api";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import type { ResponseForm } from "../http/negotiate.ts";

/** An object of a kind that is posted and answered but not stored. */
export interface PostedObject {
  metadata?: ObjectMeta | undefined;
  spec?: unknown;
  status?: unknown;
}

/**
 * The answer to a POST of such an object. It is written as JSON, or only as its metadata, and never
 * as a Table.
 */
export function postedResponse(object: PostedObject, form: ResponseForm): ApiResponse {
  if (form.as !== "PartialObjectMetadata") return jsonResponse(201, object);
  const { metadata = {} } = object;
  return jsonResponse(201, { kind: form.as, apiVersion: `meta.k8s.io/${form.version}`, metadata });
}
