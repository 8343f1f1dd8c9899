const successes = [101, 200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308];
const refusals = [400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 413, 415, 416, 422, 425, 426, 429, 499];
const failures = [500, 501, 502, 503, 504, 507];

/** The statuses with which API servers, and common servers behind a proxy, answer. */
const knownCodes = new Map([...successes, ...refusals, ...failures].map((code) => [code, String(code)]));

/**
 * Returns the label of an HTTP status. A server behind a proxy may answer with any number, so other
 * numbers share a label for their class: `5xx`, which queries for `5..` match.
 */
export function codeLabel(status: number): string {
  return knownCodes.get(status) ?? (status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : "other");
}
