import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { ProfileName } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { PathRoute } from "../built-in-route.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { methodNotAllowed } from "../http/refusals.ts";

/** The page that API servers show to people in their browsers. */
export interface Dashboard {
  /** The files by their paths below /dashboard/: "index.html", "assets/main-1a2b3c4d.js". */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly clusterName: string;
  /** The profile whose timers the page shows as countdowns. */
  readonly profile: ProfileName;
}

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The page loads only its own files, sends requests only to its own server, and cannot be framed.
 * The page shows text of objects and logs, so inline scripts and styles are forbidden.
 */
const strictHeaders = {
  "content-security-policy":
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface StaticFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
}

/**
 * GET /dashboard/: the page and its files, which are looked up only by their full names, so that a
 * path cannot escape the directory. GET /dashboard/settings.json: the cluster's name, its profile
 * and the server's time.
 */
export function createDashboardRoute(dashboard: Dashboard, clock: Clock): PathRoute {
  const made = new Map<string, StaticFile>();
  return (request, { method, path }) => {
    if (path !== "/dashboard" && !path.startsWith("/dashboard/")) return undefined;
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
    if (path === "/dashboard") return redirect();
    const name = path.slice("/dashboard/".length) || "index.html";
    if (name === "settings.json") return settings(dashboard, clock);
    const file = made.get(name) ?? makeFile(name, dashboard.files.get(name));
    if (file === undefined) return undefined;
    made.set(name, file);
    return answer(file, request.headers);
  };
}

function redirect(): ApiResponse {
  return { status: 308, headers: { ...strictHeaders, location: "/dashboard/" }, body: new Uint8Array() };
}

function settings({ clusterName, profile }: Dashboard, clock: Clock): ApiResponse {
  const { headers, ...rest } = jsonResponse(200, { clusterName, profile, nowMs: clock.nowMs() });
  return { ...rest, headers: { ...headers, ...strictHeaders, "cache-control": "no-store" } };
}

function makeFile(name: string, plain: Uint8Array | undefined): StaticFile | undefined {
  const contentType = contentTypes[name.slice(name.lastIndexOf(".") + 1)];
  if (plain === undefined || contentType === undefined) return undefined;
  return {
    headers: {
      ...strictHeaders,
      "content-type": contentType,
      etag: `"${createHash("sha256").update(plain).digest("base64url")}"`,
      // The bundler names assets by a hash of their content.
      "cache-control": name.startsWith("assets/") ? "private, immutable, max-age=31536000" : "no-cache, private",
      vary: "Accept-Encoding",
    },
    plain,
    gzip: gzipSync(plain),
  };
}

function answer(
  { headers, plain, gzip }: StaticFile,
  asked: Readonly<Record<string, string | undefined>>,
): ApiResponse {
  if (asked["if-none-match"] === headers["etag"])
    return { status: 304, headers: { ...headers }, body: new Uint8Array() };
  const takesGzip = /\bgzip\b(?!;q=0)/.test(asked["accept-encoding"] ?? "");
  return takesGzip
    ? { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: gzip }
    : { status: 200, headers: { ...headers }, body: plain };
}
