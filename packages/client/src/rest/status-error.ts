import { type ApiError, fromStatus, type Status } from "@kintsugi/api";

/** A Status on the wire; every field may be missing or of another type when a proxy answered. */
type StatusBody = { readonly [Field in keyof Status]?: unknown };

/** The refusal in an answer that is not 2xx, or in a watch's ERROR frame. */
export function apiErrorFrom(body: unknown, httpStatus: number, operation: string): ApiError {
  const status = isStatusBody(body) ? usableFields(body) : {};
  const text = typeof body === "string" ? `: ${body.slice(0, 300)}` : "";
  const message = `${operation}: the server answered ${status.code ?? httpStatus}${text}`;
  return fromStatus({ message, ...status }, httpStatus);
}

function isStatusBody(body: unknown): body is StatusBody {
  return typeof body === "object" && body !== null && (body as StatusBody).kind === "Status";
}

function usableFields({ reason, message, code, details }: StatusBody): Partial<Status> {
  return {
    kind: "Status",
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof message === "string" && message !== "" ? { message } : {}),
    ...(typeof code === "number" ? { code } : {}),
    ...(details === undefined ? {} : { details: details as NonNullable<Status["details"]> }),
  };
}
