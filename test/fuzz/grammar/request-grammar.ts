import { encode } from "cborg";
import fc from "fast-check";
import { stringify } from "yaml";
import type { BodyGrammar } from "./body-grammar.ts";
import { costlyRequests } from "./costly.ts";
import type { FuzzRequest, IdentityName } from "./fuzz-request.ts";
import { hostileBytes, hostileValues, replacePart } from "./hostile.ts";
import { largeRequests } from "./large.ts";
import { type ApiRoute, otherPaths } from "./routes.ts";

/**
 * Requests to every route by every verb, with bodies that are nearly right: each deviation is rare,
 * so that most requests get far.
 */
export function requestGrammar(routes: readonly ApiRoute[], bodies: BodyGrammar): fc.Arbitrary<FuzzRequest> {
  // A rare request is made and sent in as much time as ten of the other requests.
  return fc.oneof(
    { weight: 20, arbitrary: usualRequests(routes, bodies) },
    { weight: 1, arbitrary: costlyRequests },
    { weight: 1, arbitrary: largeRequests(routes, bodies) },
  );
}

function usualRequests(routes: readonly ApiRoute[], bodies: BodyGrammar): fc.Arbitrary<FuzzRequest> {
  // Most requests outside of namespaces are rejected for these identities for the same reason.
  const route = mostly(
    routes.filter(({ namespaced }) => namespaced),
    routes,
  );
  const target: fc.Arbitrary<Target> = fc.oneof(
    {
      weight: 18,
      arbitrary: fc.tuple(route, place, fc.nat()).map(([at, where, nth]) => {
        const verb = at.verbs[nth % Math.max(1, at.verbs.length)] ?? "get";
        const isOfAll = at.subresource === "" && collectionVerbs.has(verb) && where.tail === "";
        const path = pathOf(at, isOfAll ? { ...where, name: undefined } : where);
        return { route: at, path, method: methodOf(verb, where) };
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...otherPaths).map((path) => ({ route: undefined, path, method: "GET" })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...otherPaths), namespace).map(([path, inside]) => ({
        route: undefined,
        path: path.replace(/\/(?=[^/]*$)/, `/namespaces/${inside}/`),
        method: "GET",
      })),
    },
  );
  return fc
    .record({
      identity: mostly<IdentityName>(
        ["namespace-admin", "namespace-editor", "namespace-owner", "node"],
        ["none", "powerless", "definition-author"],
      ),
      protocol: mostly<FuzzRequest["protocol"]>(["http/1.1"], ["h2"]),
      target,
      method: mostly<string | undefined>(
        [undefined],
        ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND"],
      ),
      query,
      accept: mostly(["application/json"], accepts),
      extra: mostly<readonly (readonly [string, string])[]>(
        [[]],
        extraHeaders.map((header) => [header]),
      ),
      content,
    })
    .map((parts) => requestOf(parts, bodies));
}

/** One of `usual`, or one time in 25 one of `rare`. */
function mostly<T>(usual: readonly T[], rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  );
}

interface Target {
  readonly route: ApiRoute | undefined;
  readonly path: string;
  readonly method: string;
}

/** Verbs whose path does not name an object. */
const collectionVerbs: ReadonlySet<string> = new Set(["create", "list", "watch", "deletecollection"]);

/** Returns the method of a verb of discovery. */
function methodOf(verb: string, { name }: Place): string {
  const isWrite = { create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE", deletecollection: "DELETE" }[verb];
  if (isWrite !== undefined) return isWrite;
  return verb === "get" || name === undefined ? "GET" : "PATCH";
}

const namespace = mostly(
  ["fuzz-mine"],
  [
    "fuzz-theirs",
    "fuzz-theirs",
    "fuzz-theirs",
    "kube-system",
    "no-such",
    "..",
    "%2e%2e",
    "fuzz-mine%2f..%2ffuzz-theirs",
  ],
);

const names = [
  "node-1",
  "node-2",
  "fuzz-theirs",
  "no-such",
  "",
  "%2e%2e",
  "a%2fb",
  "%00",
  "https:a:443",
  "x".repeat(3000),
];

interface Place {
  readonly prefix: "own" | "namespaced" | "cluster" | "twice" | "watch";
  readonly namespace: string;
  readonly name: string | undefined;
  readonly tail: string;
}

const place: fc.Arbitrary<Place> = fc.record({
  prefix: mostly<Place["prefix"]>(["own", "own", "own"], ["namespaced", "cluster", "twice", "watch"]),
  namespace,
  name: mostly<string | undefined>(["fixture", "fixture", "a"], [undefined, ...names]),
  tail: mostly([""], ["", "", "/", "/extra", "/..", "/status"]),
});

function pathOf({ group, version, resource, subresource, namespaced }: ApiRoute, where: Place): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const inNamespace = `/namespaces/${where.namespace}`;
  const prefix = {
    own: namespaced ? inNamespace : "",
    namespaced: inNamespace,
    cluster: "",
    twice: `${inNamespace}/namespaces/fuzz-mine`,
    watch: `/watch${namespaced ? inNamespace : ""}`,
  }[where.prefix];
  const named = where.name === undefined ? "" : `/${where.name}`;
  const name = subresource === "" ? named : `${named || "/fixture"}/${subresource}`;
  return `${base}${prefix}/${resource}${name}${where.tail}`;
}

const forged = Buffer.from('{"v":"meta.k8s.io/v1","rv":999999999,"start":"a"}').toString("base64url");

/** Parameters with values that are meaningful to them. */
const parameters: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["limit", ["1", "2", "-1", "0"]],
  ["continue", [forged, "a"]],
  ["resourceVersion", ["0", "1", "99999999", "-1"]],
  ["resourceVersionMatch", ["Exact", "NotOlderThan"]],
  ["labelSelector", ["a=b", "a,b!=c,d in (e,f),!g", "a=".repeat(300)]],
  ["fieldSelector", ["metadata.name=fixture", "spec.nodeName=node-1", "status.phase!=Running", "no.such=a"]],
  ["watch", ["true", "1", "false"]],
  ["timeoutSeconds", ["1", "0", "-1"]],
  ["allowWatchBookmarks", ["true"]],
  ["sendInitialEvents", ["true"]],
  ["pretty", ["true"]],
  ["fieldManager", ["kubectl", "", "x".repeat(300)]],
  ["fieldValidation", ["Strict", "Warn", "Ignore"]],
  ["dryRun", ["All", "None"]],
  ["force", ["true"]],
  ["propagationPolicy", ["Background", "Foreground", "Orphan"]],
  ["gracePeriodSeconds", ["0", "1", "-1"]],
  ["container", ["c", "d"]],
  ["follow", ["true"]],
  ["tailLines", ["1", "-1"]],
  ["limitBytes", ["1"]],
  ["sinceSeconds", ["1"]],
  ["command", ["true", ""]],
  ["stdout", ["true"]],
  ["ports", ["80"]],
  ["path", ["/", "http://169.254.169.254/", "//a"]],
  ["timeout", ["1s", "1ms", "a"]],
  ["includeObject", ["None", "Object", "Metadata"]],
  ["verbose", ["", "true"]],
];

const hostileTexts = ["", "99999999999999999999", "*", "%00", "../..", "x".repeat(1500), "a,".repeat(400), "\u{1f4a9}"];

const parameter = fc
  .constantFrom(...parameters)
  .chain(([name, values]) => mostly(values, hostileTexts).map((value) => [name, value] as const));

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly (readonly [string, string])[]>([]) },
  { weight: 2, arbitrary: fc.array(parameter, { maxLength: 3 }) },
);

const accepts = [
  "application/json",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
  "application/cbor",
  "text/plain",
  "*/*",
  "",
  ";;;,,,q=9",
];

const extraHeaders: readonly (readonly [string, string])[] = [
  ["impersonate-user", "system:admin"],
  ["impersonate-group", "system:masters"],
  ["authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ."],
  ["authorization", "Bearer abcdef.0123456789abcdef"],
  ["x-remote-user", "system:admin"],
  ["x-forwarded-for", "127.0.0.1"],
  ["upgrade", "websocket"],
  ["upgrade", "SPDY/3.1"],
  ["content-encoding", "gzip"],
  ["expect", "100-continue"],
  ["if-none-match", "*"],
  ["accept-encoding", "gzip"],
  ["x-stream-protocol-version", "v4.channel.k8s.io"],
];

/** The content of a body, made from the draws of its kind's schema. */
interface Content {
  readonly seed: number;
  readonly changes: readonly (readonly [at: number, value: number])[];
  /** The type of a PATCH. */
  readonly patch: string;
  /** Replaces the method's content type. */
  readonly type: string | undefined;
  readonly bytes: number | undefined;
}

const content: fc.Arbitrary<Content | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  {
    weight: 9,
    arbitrary: fc.record({
      seed: fc.nat(),
      changes: fc.array(fc.tuple(fc.nat(1000), fc.nat(hostileValues.length - 1)), { maxLength: 2 }),
      patch: fc.constantFrom(
        "merge-patch+json",
        "strategic-merge-patch+json",
        "json-patch+json",
        "apply-patch+yaml",
        "apply-patch+cbor",
      ),
      type: mostly<string | undefined>(
        [undefined, undefined, undefined, "application/yaml", "application/cbor"],
        ["application/vnd.kubernetes.protobuf", "text/plain", "", "application/merge-patch+json"],
      ),
      bytes: mostly<number | undefined>(
        [undefined],
        hostileBytes.map((_, i) => i),
      ),
    }),
  },
);

interface Parts {
  readonly identity: IdentityName;
  readonly protocol: FuzzRequest["protocol"];
  readonly target: Target;
  readonly method: string | undefined;
  readonly query: readonly (readonly [string, string])[];
  readonly accept: string;
  readonly extra: readonly (readonly [string, string])[];
  readonly content: Content | undefined;
}

function requestOf(parts: Parts, bodies: BodyGrammar): FuzzRequest {
  const { identity, protocol, target, query: pairs, accept, extra, content: given } = parts;
  const method = parts.method ?? target.method;
  const isApply = method === "PATCH" && given?.patch.startsWith("apply-patch") === true;
  const all = isApply ? [...pairs, ["fieldManager", "fuzz"] as const] : pairs;
  const text = all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const mark = text === "" ? "" : target.path.includes("?") ? "&" : "?";
  const headers: Record<string, string> = Object.fromEntries(extra);
  if (accept !== "") headers["accept"] = accept;
  const path = `${target.path}${mark}${text}`;
  if (method === "GET" || method === "HEAD" || given === undefined)
    return { identity, protocol, method, path, headers, body: undefined };
  const isOfObjects = given.type === "application/yaml" || given.type === "application/cbor";
  const type =
    (isOfObjects && method === "PATCH" ? undefined : given.type) ??
    (method === "PATCH" ? `application/${given.patch}` : "application/json");
  if (type !== "") headers["content-type"] = type;
  const kind = method === "DELETE" ? "v1 DeleteOptions" : (target.route?.body ?? "v1 Pod");
  return { identity, protocol, method, path, headers, body: bytesOf({ ...given, type }, kind, bodies) };
}

function bytesOf(given: Content & { type: string }, kind: string, bodies: BodyGrammar): Uint8Array {
  const { seed, changes, type, bytes } = given;
  if (bytes !== undefined) return hostileBytes[bytes] ?? new Uint8Array();
  let body: unknown = bodies.make(kind, seed);
  if (type === "application/json-patch+json") body = operationsOf(body as object, seed);
  for (const [at, value] of changes) body = replacePart(body, at, hostileValues[value]);
  if (type.endsWith("cbor")) return seed % 8 === 0 ? cutOrChanged(encode(body), seed) : encode(body);
  const text = type.endsWith("yaml") && seed % 2 === 0 ? stringify(body) : JSON.stringify(body);
  return new TextEncoder().encode(text);
}

/** A CBOR body that ends too early, or with one changed byte. */
function cutOrChanged(body: Uint8Array, seed: number): Uint8Array {
  const at = (seed >> 4) % body.byteLength;
  if (seed % 16 === 0) return body.subarray(0, at);
  const changed = Uint8Array.from(body);
  changed[at] = (seed >> 8) % 256;
  return changed;
}

const pointers = [
  "/metadata/labels",
  "/metadata/labels/a",
  "/spec",
  "/metadata/annotations",
  "/metadata/finalizers/-",
  "/spec/containers/0/image",
  "/spec/replicas",
  "/data/key",
  "/metadata/name",
  "",
  "/a~1b/~0",
];

/** A JSON patch of one to three operations, with parts of `body` as values. */
function operationsOf(body: object, seed: number): unknown[] {
  const kinds = ["add", "replace", "remove", "test", "move", "copy"];
  const values: unknown[] = ["a", { a: "b" }, 2, ...Object.values(body)];
  return Array.from({ length: 1 + (seed % 3) }, (_, i) => ({
    op: kinds[(seed + i) % kinds.length],
    path: pointers[(seed + 3 * i) % pointers.length],
    from: pointers[(seed + 5 * i) % pointers.length],
    value: values[(seed + i) % values.length],
  }));
}
