import type { TypeDescription } from "@kintsugi/api";
import type { JsonObject, JsonValue } from "../json.ts";

/** Each leaves `document` untouched; the result may share parts of it. Limits (operations, copied bytes) are theirs. */
export interface PatchPorts {
  /** RFC 6902. @throws ApiError BadRequest (not a patch) or Invalid (does not apply; upstream's texts). */
  applyJsonPatch(document: JsonObject, operations: JsonValue): JsonObject;
  /** RFC 7386. @throws ApiError BadRequest when the patch is not an object. */
  applyMergePatch(document: JsonObject, patch: JsonValue): JsonObject;
  /** `$patch`, `$retainKeys`, `$setElementOrder`, `$deleteFromPrimitiveList`. @throws ApiError BadRequest or Invalid. */
  applyStrategicMergePatch(document: JsonObject, patch: JsonValue, description: TypeDescription): JsonObject;
}
