import fc from "fast-check";
import type { BodyGrammar } from "./body-grammar.ts";
import { encodeAs, encodings } from "./encode-as.ts";
import { replacePart } from "./hostile.ts";
import type { FuzzRequest, IdentityName } from "./fuzz-request.ts";
import type { ApiRoute } from "./routes.ts";

/** The largest is just below the limit of a request's body. */
const sizes = [2_000, 2_000, 50_000, 50_000, 500_000, 3_000_000];

/** Deeper values overflow the stack of the encoders of these requests. */
const levelsMax = 500;

/** Values of about `bytes` bytes in JSON. */
const shapes: readonly ((bytes: number) => unknown)[] = [
  (bytes) => "x".repeat(bytes),
  (bytes) => Array.from({ length: bytes / 2 }, () => 1),
  (bytes) => Array.from({ length: bytes / 3 }, () => ({})),
  (bytes) => Array.from({ length: bytes / 24 }, (_, i) => ({ name: `n${i}`, value: "v" })),
  (bytes) => Object.fromEntries(Array.from({ length: bytes / 14 }, (_, i) => [`key-${i}`, "v"])),
  (bytes) => nested(Math.min(levelsMax, bytes / 6), (inner) => ({ a: inner })),
  (bytes) => nested(Math.min(levelsMax, bytes / 2), (inner) => [inner]),
  (bytes) => Array.from({ length: bytes / 400 }, () => nested(60, (inner) => ({ a: inner }))),
];

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

/** Copies of an item with different names, of about `bytes` bytes together. */
function copies(item: unknown, bytes: number): unknown[] {
  const count = Math.max(1, Math.floor(bytes / JSON.stringify(item ?? null).length));
  return Array.from({ length: count }, (_, i) =>
    typeof item === "object" && item !== null && "name" in item ? { ...item, name: `n${i}` } : item,
  );
}

/** A larger part of the same type, which a reader processes further than a part of another type. */
function grown(part: unknown, bytes: number): unknown {
  if (typeof part === "string") return (part || "x").repeat(Math.ceil(bytes / Math.max(1, part.length)));
  if (Array.isArray(part)) return copies(part[0] ?? "x", bytes);
  if (typeof part !== "object" || part === null) return 2 ** 31 - 1;
  const more = Array.from({ length: bytes / 14 }, (_, i) => [`key-${i}`, "v"] as const);
  return { ...part, ...Object.fromEntries(more) };
}

/** Objects with a part that is deep, wide or long, mostly a larger value of its own type. */
export function largeRequests(routes: readonly ApiRoute[], bodies: BodyGrammar): fc.Arbitrary<FuzzRequest> {
  const creatable = routes.filter(
    ({ namespaced, subresource, verbs }) => namespaced && subresource === "" && verbs.includes("create"),
  );
  return fc
    .record({
      route: fc.constantFrom(...creatable),
      identity: fc.constantFrom<IdentityName>(
        "namespace-owner",
        "namespace-owner",
        "namespace-editor",
        "namespace-admin",
        "node",
        "powerless",
      ),
      encoding: fc.constantFrom(...encodings),
      seed: fc.nat(),
      at: fc.nat(1_000),
      shape: fc.nat(shapes.length - 1),
      bytes: fc.constantFrom(...sizes),
      isUpdate: fc.boolean(),
      isDry: fc.boolean(),
    })
    .map(({ route, identity, encoding, seed, at, shape, bytes, isUpdate, isDry }) => {
      const drawn = bodies.make(route.body, seed) as { metadata?: object };
      const named = { ...drawn, metadata: { ...drawn.metadata, name: "fixture", namespace: "fuzz-mine" } };
      const body = replacePart(named, at, (part: unknown) =>
        at % 3 === 0 ? shapes[shape]?.(bytes) : grown(part, bytes),
      ) as object;
      const { group, version, resource } = route;
      const base = `${group === "" ? "/api" : `/apis/${group}`}/${version}/namespaces/fuzz-mine/${resource}`;
      const path = isUpdate ? `${base}/fixture` : base;
      return {
        identity,
        protocol: "http/1.1",
        method: isUpdate ? "PUT" : "POST",
        path: isDry ? `${path}?dryRun=All` : path,
        ...encodeAs(encoding, body),
      };
    });
}
