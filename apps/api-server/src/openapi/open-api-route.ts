import type { ApiResponse } from "../http/api-request.ts";
import { methodNotAllowed } from "../http/refusals.ts";
import { answerTagged, type TaggedDocument } from "../http/tagged-document.ts";
import type { OpenApiDocuments } from "./documents.ts";
import type { PathRoute } from "../built-in-route.ts";

/** /openapi/v2, /openapi/v3 and the documents that its index names. */
export function createOpenApiRoute(documents: () => OpenApiDocuments): PathRoute {
  return (request, info) => {
    const [root, version, ...rest] = info.segments;
    if (root !== "openapi") return undefined;
    const document = findDocument(documents(), { version, path: rest.join("/"), accept: request.headers["accept"] });
    if (document === undefined) return undefined;
    if (info.method !== "GET" && info.method !== "HEAD") throw methodNotAllowed();
    return answer(document, { hash: info.query.get("hash"), known: request.headers["if-none-match"] });
  };
}

function findDocument(
  documents: OpenApiDocuments,
  request: { version: string | undefined; path: string; accept: string | undefined },
): TaggedDocument | undefined {
  if (request.version === "v2") return request.path === "" ? documents.v2(request.accept) : undefined;
  if (request.version !== "v3") return undefined;
  return request.path === "" ? documents.index() : documents.v3(request.path);
}

/**
 * A document at a URL with its hash never changes, so it may be cached for a year; other documents
 * are compared by tag.
 */
function answer(document: TaggedDocument, request: { hash: string | null; known: string | undefined }): ApiResponse {
  const immutable = request.hash !== null && `"${request.hash}"` === document.etag;
  const cacheControl = immutable ? "public, immutable, max-age=31536000" : "no-cache, private";
  return answerTagged(document, { known: request.known, cacheControl });
}
