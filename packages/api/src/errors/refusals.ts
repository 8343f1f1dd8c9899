import type { StatusCause, StatusDetails } from "../meta/status.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { ApiError, causesMax } from "./api-error.ts";
import { shortened, shownValue } from "./shown.ts";

/** Every rejection in upstream's words, so that clients and people recognize them. */

type Named = Pick<ResourceType, "group" | "resource">;

/** `pods "x"`, or `replicasets.apps "x"`. */
export function qualifiedName(type: Named, name: string): string {
  return `${qualifiedResource(type)} ${shownValue(name)}`;
}

/** `pods`, or `replicasets.apps`. */
export function qualifiedResource(type: Named): string {
  return type.group === "" ? type.resource : `${type.resource}.${type.group}`;
}

export function notFound(type: Named, name: string): ApiError {
  return new ApiError("NotFound", `${qualifiedName(type, name)} not found`, { details: detailsOf(type, name) });
}

export function alreadyExists(type: Named, name: string): ApiError {
  const message = `${qualifiedName(type, name)} already exists`;
  return new ApiError("AlreadyExists", message, { details: detailsOf(type, name) });
}

/** Another client changed the object first. */
export function conflict(type: Named, name: string, because: string = modified): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedName(type, name)}: ${because}`;
  return new ApiError("Conflict", message, { details: detailsOf(type, name) });
}

/** An apply changes fields of other managers; `causes` names the fields and their managers. */
export function applyConflict(causes: readonly Required<StatusCause>[], message: string): ApiError {
  return new ApiError("Conflict", message, { details: { causes: causes.map((cause) => ({ ...cause })) } });
}

/** The precondition of a write names a UID or resourceVersion that differs from the object's. */
export function preconditionFailed(
  type: Named,
  name: string,
  precondition: { field: "UID" | "ResourceVersion"; expected: string; actual: string },
): ApiError {
  const { field, expected, actual } = precondition;
  const because = `Precondition failed: ${field} in precondition: ${expected}, ${field} in object meta: ${actual}`;
  return conflict(type, name, because);
}

/** The object violates rules of its kind; `causes` names the fields. */
export function invalid(
  type: Pick<ResourceType, "group" | "kind">,
  name: string,
  causes: readonly Required<StatusCause>[],
): ApiError {
  const kind = type.group === "" ? type.kind : `${type.kind}.${type.group}`;
  const faults = causes
    .slice(0, causesMax)
    .map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  const all = faults.length === 1 ? faults[0] : `[${faults.join(", ")}]`;
  const details: StatusDetails = { kind: type.kind, causes: causes.map((cause) => ({ ...cause })) };
  if (name !== "") details.name = shortened(name);
  if (type.group !== "") details.group = type.group;
  return new ApiError("Invalid", `${kind} ${shownValue(name)} is invalid: ${all}`, { details });
}

export function forbidden(type: Named, name: string, because: string): ApiError {
  const what = name === "" ? qualifiedResource(type) : qualifiedName(type, name);
  return new ApiError("Forbidden", `${what} is forbidden: ${because}`, { details: detailsOf(type, name) });
}

export function badRequest(message: string): ApiError {
  return new ApiError("BadRequest", message);
}

export function unauthorized(message = "Unauthorized"): ApiError {
  return new ApiError("Unauthorized", message);
}

export function methodNotSupported(type: Named, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${qualifiedResource(type)}"`;
  return new ApiError("MethodNotAllowed", message, { details: detailsOf(type, "") });
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${accepted.join(", ")}`;
  return new ApiError("NotAcceptable", message);
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new ApiError("UnsupportedMediaType", message);
}

/** The watch starts before the oldest change in the window, so the client has to list again. */
export function expiredWatch(requested: string, oldest: string): ApiError {
  return new ApiError("Expired", `too old resource version: ${requested} (${oldest})`);
}

/** A list or get names a resourceVersion that is no longer retained. */
export function expiredResourceVersion(): ApiError {
  return new ApiError("Expired", "The resourceVersion for the provided list is too old.");
}

/**
 * The versions behind a continue token are no longer retained. The list continues with
 * `continueToken`, if present, at the current revision.
 */
export function expiredContinue(continueToken?: string): ApiError {
  const fresh =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter";
  const rest =
    ", or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ApiError("Expired", continueToken === undefined ? `${fresh}.` : fresh + rest, { continueToken });
}

/** A read needs a state that the server has not reached yet; clients retry. */
export function tooLargeResourceVersion(requested: string, current: string): ApiError {
  const message = `Timeout: Too large resource version: ${requested}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new ApiError("Timeout", message, { details: { causes, retryAfterSeconds: 1 } });
}

/** Seconds after which a client may retry, in every response to a client that exceeds a limit. */
const retryAfterSeconds = 1;

/** The server has reached its limit on requests, connections, streams, or bytes. */
export function tooManyRequests(message = "Too many requests, please try again later."): ApiError {
  return new ApiError("TooManyRequests", message, { details: { retryAfterSeconds } });
}

/** An eviction would violate a PodDisruptionBudget. */
export function disruptionBudgetExceeded(explanation: string): ApiError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: "DisruptionBudget", message: explanation }];
  return new ApiError("TooManyRequests", message, { details: { causes } });
}

export function requestTooLarge(message: string): ApiError {
  return new ApiError("RequestEntityTooLarge", message);
}

/** The server could not finish in time; whether a write happened is unknown. */
export function timedOut(message: string, retryAfterSeconds = 0): ApiError {
  const details = retryAfterSeconds > 0 ? { retryAfterSeconds } : undefined;
  return new ApiError("Timeout", `Timeout: ${message}`, details === undefined ? {} : { details });
}

export function serviceUnavailable(message: string): ApiError {
  return new ApiError("ServiceUnavailable", message);
}

/** An internal error of the server; the message must not quote the object's content. */
export function internalError(message: string, cause?: unknown): ApiError {
  const details = { causes: [{ message }] };
  return new ApiError("InternalError", `Internal error occurred: ${message}`, { details, cause });
}

const modified = "the object has been modified; please apply your changes to the latest version and try again";

function detailsOf(type: Named, name: string): StatusDetails {
  const details: StatusDetails = { kind: type.resource };
  if (name !== "") details.name = shortened(name);
  if (type.group !== "") details.group = type.group;
  return details;
}
