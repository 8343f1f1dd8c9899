import type { KubeObject } from "../resources/resource.ts";
import type { JsonObject } from "../json.ts";
import { type Decodable, decodeObject } from "./decode-object.ts";

/**
 * Reads what a step of admission left of a body; as upstream, a field that it does not know is
 * dropped. @throws ApiError BadRequest
 */
export function decodeLeft<T>(left: KubeObject, as: Decodable<T>): T {
  return decodeObject(left as unknown as JsonObject, as, { fieldValidation: "Ignore", duplicates: [], warnings: [] });
}
