import type { JsonObject } from "@kintsugi/api";
import type { KubeObject } from "../resources/resource.ts";
import { type Decodable, decodeObject } from "./decode-object.ts";

/**
 * Decodes the body that an admission step produced. Like upstream, it drops unknown fields.
 * @throws ApiError BadRequest
 */
export function decodeLeft<T>(left: KubeObject, as: Decodable<T>): T {
  return decodeObject(left as unknown as JsonObject, as, { fieldValidation: "Ignore", duplicates: [], warnings: [] });
}
