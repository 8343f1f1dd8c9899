import { createHash } from "node:crypto";
import type { ApiResponse } from "./api-request.ts";

/** A document that clients may cache, and validate by its tag. */
export interface TaggedDocument {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The hash of the body in double quotes, as in RFC 9110, 8.8.3. */
  readonly etag: string;
}

export function taggedDocument(contentType: string, body: Uint8Array): TaggedDocument {
  const hash = createHash("sha256").update(body).digest("hex").toUpperCase();
  return { contentType, body, etag: `"${hash}"` };
}

export interface TaggedAnswer {
  /** The header if-none-match of the request. */
  readonly known: string | undefined;
  readonly cacheControl: string;
}

/** Returns 304 without a body for a client that has the current document. */
export function answerTagged(
  { contentType, body, etag }: TaggedDocument,
  { known, cacheControl }: TaggedAnswer,
): ApiResponse {
  const headers = { etag, "cache-control": cacheControl, vary: "Accept" };
  const isKnown = (known ?? "").split(",").some((tag) => tag.trim() === etag);
  return isKnown
    ? { status: 304, headers, body: new Uint8Array() }
    : { status: 200, headers: { ...headers, "content-type": contentType }, body };
}
