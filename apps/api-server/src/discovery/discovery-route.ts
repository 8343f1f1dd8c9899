import type { KubernetesMinor } from "@kintsugi/api";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { methodNotAllowed } from "../http/refusals.ts";
import { answerTagged } from "../http/tagged-document.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { PathRoute } from "../built-in-route.ts";
import type { DiscoveryDocuments } from "./discovery.ts";
import { serverVersion } from "./version.ts";

/** /api, /apis, /apis/G, /api/v1, /apis/G/V and /version. */
export function createDiscoveryRoute(documents: () => DiscoveryDocuments, minor?: KubernetesMinor): PathRoute {
  const version = serverVersion(minor);
  return (request, info) => {
    if (info.segments[0] === "version" && info.segments.length === 1) {
      if (info.method !== "GET") throw methodNotAllowed();
      return jsonResponse(200, version);
    }
    const document = findDocument(documents(), info, request.headers);
    if (document === undefined) return undefined;
    if (info.method !== "GET") throw methodNotAllowed();
    return document();
  };
}

function findDocument(
  documents: DiscoveryDocuments,
  info: RequestInfo,
  headers: Readonly<Record<string, string | undefined>>,
): (() => ApiResponse) | undefined {
  const [root, second, third] = info.segments;
  if (root === "api" || root === "apis") {
    const value = plainDocument(documents, info.segments);
    if (second === undefined) return () => rootDocument(documents, root, { headers, plain: value });
    if (value !== undefined && (third === undefined || root === "apis")) return () => jsonResponse(200, value);
  }
  return undefined;
}

function plainDocument(documents: DiscoveryDocuments, segments: readonly string[]): unknown {
  const [root, second, third] = segments;
  if (root === "api") return second === undefined ? documents.coreVersions : documents.resources("", second);
  if (second === undefined) return documents.groups;
  return third === undefined ? documents.group(second) : documents.resources(second, third);
}

/** Clients that support the aggregated form request it first. */
function rootDocument(
  documents: DiscoveryDocuments,
  root: "api" | "apis",
  { headers, plain }: { headers: Readonly<Record<string, string | undefined>>; plain: unknown },
): ApiResponse {
  for (const clause of (headers["accept"] ?? "").split(",")) {
    if (!clause.includes("apidiscovery.k8s.io")) {
      if (/application\/json|\*\/\*/.test(clause)) break;
      continue;
    }
    const version = /v=(v2beta1|v2)(;|$|\s)/.exec(`${clause};`)?.[1];
    if (version !== "v2" && version !== "v2beta1") continue;
    const document = documents.aggregated(root, version);
    return answerTagged(document, { known: headers["if-none-match"], cacheControl: "no-cache, private" });
  }
  return jsonResponse(200, plain);
}
