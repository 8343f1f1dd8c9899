import { badRequest } from "@kintsugi/api";

/** The query of a request. It must not be changed, because requests without a query share it. */
export type RequestQuery = Omit<URLSearchParams, "append" | "delete" | "set" | "sort">;

export interface RequestTarget {
  path: string;
  segments: readonly string[];
  query: RequestQuery;
  /**
   * The path and query for the server behind a proxy subresource, as they were sent. Undefined for
   * other requests.
   */
  behindProxy: ProxiedTarget | undefined;
}

export interface ProxiedTarget {
  /** "" or "/…", still encoded. */
  path: string;
  /** "" or "?…", still encoded. */
  query: string;
}

/**
 * Splits a request target into decoded path segments and its query. This is the only place that
 * decodes a path. A path that two readers could interpret differently (`..`, `//`, an encoded
 * slash, a second decoding) is rejected. The path after a proxy subresource is interpreted by
 * another server, and nothing here depends on its meaning. That part is not decoded and not among
 * the segments.
 * @throws ApiError BadRequest.
 */
export function parseTarget(target: string): RequestTarget {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? noQuery : new URLSearchParams(target.slice(mark + 1));
  const { segments, behind } = splitPath(path);
  const behindProxy = behind === undefined ? undefined : { path: behind, query: mark < 0 ? "" : target.slice(mark) };
  return { path, segments, query, behindProxy };
}

const noQuery: RequestQuery = new URLSearchParams();

/**
 * Longer than any group/version/namespace/name (each at most 253 characters), with room to spare.
 */
const pathLengthMax = 2048;
/** Other servers may have longer paths; most accept 8 KiB of a request line. */
const proxiedPathLengthMax = 8192;

function splitPath(path: string): { segments: string[]; behind: string | undefined } {
  if (!path.startsWith("/")) throw badRequest("the request path must start with /");
  if (path === "/") return { segments: [], behind: undefined };
  const raw = path.slice(1).split("/", segmentsMax + 1);
  const segments: string[] = [];
  let length = 0;
  for (const text of raw) {
    // One slash at the end is tolerated, because upstream serves "/api/" and "/apis/".
    if (text === "" && length > 0 && length + 1 === path.length) break;
    length += 1 + text.length;
    if (length > pathLengthMax) throw badRequest(`the request path is longer than ${pathLengthMax} characters`);
    segments.push(decodeSegment(text));
    if (isProxy(segments)) return { segments, behind: checkProxied(path.slice(length)) };
  }
  if (length + 1 < path.length) throw badRequest(`the request path has more than ${segmentsMax} segments`);
  return { segments, behind: undefined };
}

/**
 * No served path has a dozen segments. This limit only ends the loop, because a proxied path may be
 * longer.
 */
const segmentsMax = pathLengthMax / 2;

/**
 * /api/v1/nodes/NAME/proxy, /api/v1/namespaces/NAMESPACE/pods/NAME/proxy, and the same path of
 * services.
 */
function isProxy(segments: readonly string[]): boolean {
  const { length } = segments;
  if (
    (length !== 5 && length !== 7) ||
    segments[length - 1] !== "proxy" ||
    segments[0] !== "api" ||
    segments[1] !== "v1"
  )
    return false;
  if (length === 5) return segments[2] === "nodes";
  return segments[2] === "namespaces" && (segments[4] === "pods" || segments[4] === "services");
}

/**
 * Dot segments are rejected, because a program between client and server may resolve them to a path
 * other than the authorized path.
 */
function checkProxied(path: string): string {
  if (path.length > proxiedPathLengthMax) {
    throw badRequest(`the path behind the proxy is longer than ${proxiedPathLengthMax} characters`);
  }
  const segments = path.replaceAll(/%2e/gi, ".").split(/\/|\\|%2f|%5c/i);
  if (segments.some((segment) => segment === "." || segment === "..")) {
    throw badRequest("the request path has a . or .. segment");
  }
  return path;
}

function decodeSegment(raw: string): string {
  let segment = raw;
  if (raw.includes("%")) {
    try {
      segment = decodeURIComponent(raw);
    } catch {
      throw badRequest("the request path is not well-formed");
    }
  }
  if (segment === "" || segment === "." || segment === "..")
    throw badRequest("the request path has an empty, . or .. segment");
  if (unsafeInSegment.test(segment))
    throw badRequest("the request path has a segment with a character that no name may have");
  return segment;
}

/**
 * Slashes and backslashes in any encoding, percent signs that a second decoding would decode,
 * parameters and control characters.
 */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const unsafeInSegment = /[/\\%;\u0000-\u001f\u007f]/;
