import { ApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import { assertSafeJson, cloneJson, isJsonObject, ownMember } from "../json-value.ts";

/**
 * JSON merge patch (RFC 7386): members of the patch replace members of the target, objects are
 * merged, and null removes a member. Neither argument is changed, and the result shares no parts
 * with them.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  assertSafeJson(patch);
  if (!isJsonObject(patch)) {
    throw new ApiError("BadRequest", "Invalid JSON Patch");
  }
  return mergeObject(document, patch);
}

function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const result = cloneJson(target);
  for (const [member, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[member];
    } else {
      result[member] = mergeValue(ownMember(result, member), value);
    }
  }
  return result;
}

function mergeValue(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) {
    return cloneJson(patch);
  }
  return mergeObject(isJsonObject(target) ? target : {}, patch);
}
