import { badRequest, invalid, tooLargeResourceVersion } from "@kintsugi/api";
import type { RequestQuery } from "./request-path.ts";

/** The state from which an answer is made: the latest, or exactly one revision. */
export type Freshness = { at: "latest" } | { at: "exactly"; revision: number };

/**
 * The meaning of resourceVersion and resourceVersionMatch in a get or list. There is only one store
 * and reads see all of it, so "any" and "not older than" are both answered with the latest state.
 * @throws ApiError
 */
export function readFreshness(query: RequestQuery, current: number): Freshness {
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const asked = parseResourceVersion(text);
  if (match !== "") checkMatch(match, text);
  if (asked > current) throw tooLargeResourceVersion(String(asked), String(current));
  const limited = Number(query.get("limit") ?? 0) > 0;
  const exact = match === "Exact" || (match === "" && limited && asked > 0);
  return exact ? { at: "exactly", revision: asked } : { at: "latest" };
}

function checkMatch(match: string, resourceVersion: string): void {
  const refuse = (message: string, reason = "FieldValueForbidden") =>
    invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", [{ field: "resourceVersionMatch", reason, message }]);
  if (resourceVersion === "")
    throw refuse("Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided");
  if (match !== "Exact" && match !== "NotOlderThan") {
    throw refuse(
      `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan"`,
      "FieldValueNotSupported",
    );
  }
  if (match === "Exact" && resourceVersion === "0") {
    throw refuse('Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}

/** "" and "0" are 0. @throws ApiError BadRequest for any text that is not decimal digits. */
export function parseResourceVersion(text: string): number {
  if (text === "") return 0;
  const revision = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(revision)) {
    throw badRequest(
      `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return revision;
}
