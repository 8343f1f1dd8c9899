import { parseTarget, type ProxiedTarget, type RequestQuery } from "./request-path.ts";

/**
 * The meaning of a request, parsed once from its method and target. Authorization, routing and
 * storage use it.
 */
export interface RequestInfo {
  /** False for discovery, health and other paths that do not name a resource. */
  isResource: boolean;
  /**
   * Resource requests: get, list, watch, create, update, patch, delete, deletecollection; else the
   * method in lower case.
   */
  verb: string;
  method: string;
  path: string;
  segments: readonly string[];
  query: RequestQuery;
  group: string;
  version: string;
  /**
   * The namespace. For an object of the kind Namespace it is the object's own name, as in
   * upstream's authorization.
   */
  namespace: string;
  /**
   * True where the path has a namespace before the resource: true of namespaces/a/pods, false of
   * namespaces/a.
   */
  isBelowNamespace: boolean;
  resource: string;
  subresource: string;
  name: string;
  /** Segments after the subresource. No served path has any. */
  rest: readonly string[];
  /** The request to the server behind a proxy subresource. */
  behindProxy: ProxiedTarget | undefined;
}

/** @throws ApiError BadRequest. */
export function parseRequestInfo(method: string, target: string): RequestInfo {
  const { path, segments, query, behindProxy } = parseTarget(target);
  const info: RequestInfo = {
    isResource: false,
    verb: method.toLowerCase(),
    method,
    path,
    segments,
    query,
    group: "",
    version: "",
    namespace: "",
    isBelowNamespace: false,
    resource: "",
    subresource: "",
    name: "",
    rest: [],
    behindProxy,
  };
  const prefixLength = segments[0] === "api" ? 2 : segments[0] === "apis" ? 3 : 0;
  if (prefixLength === 0 || segments.length <= prefixLength) return info;
  info.isResource = true;
  info.group = prefixLength === 2 ? "" : (segments[1] ?? "");
  info.version = segments[prefixLength - 1] ?? "";
  const parts = segments.slice(prefixLength);
  const isOldWatch = parts[0] === "watch" && parts.length > 1 && ["GET", "HEAD"].includes(method);
  readResource(info, isOldWatch ? parts.slice(1) : parts);
  if (isOldWatch) becomeWatch(info);
  info.verb = verbOf(info);
  return info;
}

/**
 * `namespaces` is both a resource and the scope of other resources: namespaces/a is an object,
 * namespaces/a/pods a collection.
 */
function readResource(info: RequestInfo, parts: readonly string[]): void {
  let own = parts;
  const [first, namespace, second] = parts;
  if (first === "namespaces" && namespace !== undefined) {
    info.namespace = namespace;
    info.isBelowNamespace = second !== undefined && !namespaceSubresources.has(second);
    if (info.isBelowNamespace) own = parts.slice(2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = own;
  info.resource = resource;
  info.name = name;
  info.subresource = subresource;
  info.rest = rest;
}

/**
 * Paths that begin with watch/, which are older than `?watch=true`, refer to the list or object
 * after that prefix. Upstream still serves them.
 */
function becomeWatch(info: RequestInfo): void {
  const query = new URLSearchParams([...info.query]);
  info.query = query;
  query.set("watch", "true");
  if (info.name === "") return;
  const own = `metadata.name=${info.name}`;
  const selector = query.get("fieldSelector");
  query.set("fieldSelector", selector === null || selector === "" ? own : `${selector},${own}`);
  info.name = "";
  if (!info.isBelowNamespace) info.namespace = "";
}

const namespaceSubresources = new Set(["status", "finalize"]);

function verbOf(info: RequestInfo): string {
  switch (info.method) {
    case "GET":
    case "HEAD":
      if (info.name !== "") return "get";
      return isTrue(info.query.get("watch")) ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return info.name === "" ? "deletecollection" : "delete";
    default:
      return info.method.toLowerCase();
  }
}

/**
 * Parses like Go's strconv.ParseBool, by which upstream parses boolean query parameters. An empty
 * value counts as true.
 */
export function isTrue(text: string | null): boolean {
  return (
    text === "" || text === "1" || text === "t" || text === "T" || text === "true" || text === "True" || text === "TRUE"
  );
}
