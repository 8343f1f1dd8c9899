import { ApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import { isJsonObject } from "../json-value.ts";

// The messages are upstream's (apimachinery/pkg/util/mergepatch/errors.go).

export function badRetainKeysFormat(): ApiError {
  return new ApiError("BadRequest", "invalid patch format of retainKeys");
}

export function badPrimitiveListFormat(): ApiError {
  return new ApiError("BadRequest", "invalid patch format of primitive list");
}

export function badElementOrderFormat(): ApiError {
  return new ApiError("BadRequest", "invalid patch format of setElementOrder list");
}

export function badPatchDirective(directive: JsonValue, patch: JsonObject): ApiError {
  return new ApiError("BadRequest", `unknown patch type: ${formatAsGo(directive)} in map: ${formatAsGo(patch)}`);
}

export function missingMergeKey(element: JsonObject, mergeKey: string): ApiError {
  return new ApiError("BadRequest", `map: ${formatAsGo(element)} does not contain declared merge key: ${mergeKey}`);
}

export function elementTypesDiffer(list: readonly JsonValue[]): ApiError {
  return new ApiError("BadRequest", `list element types are not identical: ${formatAsGo([...list])}`);
}

export function noMergeKeyDeclared(): ApiError {
  return new ApiError("BadRequest", "cannot merge lists without merge key for type map");
}

export function listOfLists(): ApiError {
  return new ApiError("Invalid", "lists of lists are not supported");
}

export function unexpectedType(expected: string, actual: JsonValue): ApiError {
  return new ApiError("BadRequest", `expected a ${expected}, but received a ${goTypeOf(actual)}`);
}

/**
 * Writes a value as Go prints it with %v: `map[image:x name:c]`. Long values are cut, because a
 * Status is not a dump.
 */
function formatAsGo(value: JsonValue): string {
  const text = formatWhole(value);
  return text.length > 500 ? `${text.slice(0, 500)}...` : text;
}

function formatWhole(value: JsonValue): string {
  if (Array.isArray(value)) {
    return `[${value.map(formatWhole).join(" ")}]`;
  }
  if (isJsonObject(value)) {
    const members = Object.keys(value).toSorted();
    return `map[${members.map((member) => `${member}:${formatWhole(value[member] ?? null)}`).join(" ")}]`;
  }
  return value === null ? "<nil>" : String(value);
}

function goTypeOf(value: JsonValue): string {
  if (value === null) {
    return "<nil>";
  }
  if (Array.isArray(value)) {
    return "[]interface {}";
  }
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "map[string]interface {}";
  }
}
