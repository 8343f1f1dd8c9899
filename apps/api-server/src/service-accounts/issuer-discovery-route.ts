import type { PathRoute } from "../built-in-route.ts";
import { methodNotAllowed } from "../http/refusals.ts";
import type { IssuerDocuments } from "./issuer-discovery.ts";

/** /.well-known/openid-configuration and /openid/v1/jwks, for callers whose role allows them. */
export function createIssuerDiscoveryRoute(documents: IssuerDocuments | undefined): PathRoute {
  return (_request, info) => {
    const document = documents?.byPath.get(info.segments.join("/"));
    if (document === undefined) return undefined;
    if (info.method !== "GET" && info.method !== "HEAD") throw methodNotAllowed();
    return { ...document, headers: { ...document.headers } };
  };
}
