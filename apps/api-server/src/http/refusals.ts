import { ApiError, shownValue, type ValidationIssue } from "@kintsugi/api";

/** The error for a path that is not served. */
export function pathNotFound(): ApiError {
  return new ApiError("NotFound", "the server could not find the requested resource");
}

export function methodNotAllowed(): ApiError {
  return new ApiError("MethodNotAllowed", "the server does not allow this method on the requested resource");
}

export function fieldForbidden(field: string, why: string): ValidationIssue {
  return { field, reason: "FieldValueForbidden", message: `Forbidden: ${why}` };
}

export function fieldRequired(field: string, why = ""): ValidationIssue {
  return { field, reason: "FieldValueRequired", message: why === "" ? "Required value" : `Required value: ${why}` };
}

export function fieldInvalid(field: string, value: unknown, why: string): ValidationIssue {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${shownValue(value)}: ${why}` };
}
