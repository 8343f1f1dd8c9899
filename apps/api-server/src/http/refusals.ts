import { ApiError } from "@kintsugi/api";

/** Nothing is served at this path. */
export function pathNotFound(): ApiError {
  return new ApiError("NotFound", "the server could not find the requested resource");
}

export function methodNotAllowed(): ApiError {
  return new ApiError("MethodNotAllowed", "the server does not allow this method on the requested resource");
}

/** One rule that an object breaks: `invalid` of `@kintsugi/api` makes the refusal. */
export interface FieldProblem {
  /** "FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden"… */
  reason: string;
  /** Without the path: `Invalid value: "x": field is immutable`. */
  message: string;
  /** "spec.nodeName". */
  field: string;
}

export function immutable(field: string, value: unknown): FieldProblem {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${JSON.stringify(value)}: field is immutable` };
}

export function fieldForbidden(field: string, why: string): FieldProblem {
  return { field, reason: "FieldValueForbidden", message: `Forbidden: ${why}` };
}

export function fieldRequired(field: string, why = ""): FieldProblem {
  return { field, reason: "FieldValueRequired", message: why === "" ? "Required value" : `Required value: ${why}` };
}

export function fieldInvalid(field: string, value: unknown, why: string): FieldProblem {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}
