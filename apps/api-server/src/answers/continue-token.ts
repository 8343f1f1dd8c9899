import { badRequest } from "@kintsugi/api";

/** The key after which a list continues. */
export interface ContinueToken {
  /**
   * The revision of the list; undefined where it continues inconsistently at the current revision.
   */
  revision: number | undefined;
  after: string;
  /**
   * The time of the list's first page; absent in tokens of servers that did not record the time.
   */
  sinceMs?: number | undefined;
}

/** Upstream's revision in a token that continues inconsistently. */
const anyRevision = -1;

export function formatContinue({ revision = anyRevision, after, sinceMs }: ContinueToken): string {
  // Clocks may count fractions of milliseconds, and a token has a whole number.
  const time = sinceMs !== undefined && { t: Math.floor(sinceMs) };
  const token = { v: "meta.k8s.io/v1", rv: revision, start: after, ...time };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

/**
 * A token may only continue the list that issued it, so its key has to be below `prefix`.
 * @throws ApiError BadRequest.
 */
export function parseContinue(text: string, prefix: string): ContinueToken {
  let token: { v?: unknown; rv?: unknown; start?: unknown; t?: unknown };
  try {
    token = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as typeof token;
  } catch {
    throw invalidToken("not readable");
  }
  if (token === null || typeof token !== "object" || token.v !== "meta.k8s.io/v1")
    throw invalidToken("unknown version");
  const { rv, start, t } = token;
  const isRevision = typeof rv === "number" && Number.isSafeInteger(rv) && (rv > 0 || rv === anyRevision);
  if (!isRevision) throw invalidToken("no revision");
  if (typeof start !== "string" || !start.startsWith(prefix)) throw invalidToken("it belongs to another list");
  const sinceMs = typeof t === "number" && Number.isSafeInteger(t) ? t : undefined;
  return { revision: rv === anyRevision ? undefined : rv, after: start, sinceMs };
}

/** Returns the revision of a token that may belong to any list; 0 if the token cannot be parsed. */
export function continueRevision(text: string): number {
  try {
    return parseContinue(text, "").revision ?? 0;
  } catch {
    return 0;
  }
}

function invalidToken(why: string) {
  return badRequest(`continue key is not valid: ${why}`);
}
