import { badRequest } from "@kintsugi/api";

/** The place where a list goes on: behind this key, at this revision. */
export interface ContinueToken {
  revision: number;
  after: string;
}

export function formatContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: token.revision, start: token.after })).toString(
    "base64url",
  );
}

/**
 * A token may only go on inside the list that it came from: its key has to lie under `prefix`.
 * @throws ApiError BadRequest.
 */
export function parseContinue(text: string, prefix: string): ContinueToken {
  let token: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    token = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as typeof token;
  } catch {
    throw invalidToken("not readable");
  }
  if (token === null || typeof token !== "object" || token.v !== "meta.k8s.io/v1")
    throw invalidToken("unknown version");
  const { rv, start } = token;
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv <= 0) throw invalidToken("no revision");
  if (typeof start !== "string" || !start.startsWith(prefix)) throw invalidToken("it belongs to another list");
  return { revision: rv, after: start };
}

/** Returns the revision of a token that may be of any list; 0 if it cannot be read. */
export function continueRevision(text: string): number {
  try {
    return parseContinue(text, "").revision;
  } catch {
    return 0;
  }
}

function invalidToken(why: string) {
  return badRequest(`continue key is not valid: ${why}`);
}
