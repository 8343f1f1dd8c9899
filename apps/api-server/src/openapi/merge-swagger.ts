import { type JsonBudget, type JsonObject, type JsonValue, parseForeignJson, sameJson } from "@kintsugi/api";
import { isJsonObject } from "../json-value.ts";
import { encodeGnostic } from "./gnostic.ts";

/** The part of another server's OpenAPI 2 that is about one version of a group. */
export interface RemoteSwagger {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

/**
 * Limits on the documents of another server. The largest group of Kubernetes itself, apps/v1, has
 * 15,000 values; they are parsed in a tenth of a second.
 */
export const openApiBudget: JsonBudget = { valuesMax: 150_000, of: "the document" };

const referencePrefix = "#/definitions/";
/** Limit of new names for a name that several servers use for different types. */
const namesMax = 100;

/**
 * Reads the part of a document below a path, with the definitions that it needs; undefined where
 * clients could not read it.
 */
export function swaggerBelow(text: string, path: string): RemoteSwagger | undefined {
  try {
    const document = parseForeignJson(text, openApiBudget) as JsonObject;
    const [paths, known] = [objectIn(document["paths"]), objectIn(document["definitions"])];
    const own = Object.fromEntries(
      Object.entries(paths).filter(([each]) => each.startsWith(`${path}/`) && isJsonObject(paths[each])),
    );
    const names = new Set<string>();
    for (let open = referencesIn(own); open.length > 0;) {
      const fresh = open.filter((name) => !names.has(name) && isJsonObject(known[name]));
      for (const name of fresh) names.add(name);
      open = fresh.flatMap((name) => referencesIn(known[name] ?? null));
    }
    const definitions = Object.fromEntries([...names].map((name) => [name, known[name] ?? {}]));
    if (Object.keys(own).length === 0) return undefined;
    // A document that has no protobuf form would leave clients without any document.
    encodeGnostic({ swagger: "2.0", info: { title: "", version: "" }, paths: own, definitions });
    return { paths: own, definitions };
  } catch {
    return undefined;
  }
}

/**
 * Adds the parts of other servers to this server's document. This server's own paths are unchanged.
 * A definition whose name represents another type here gets a new name, like upstream's `Foo_v2`.
 */
export function mergeSwagger(own: JsonObject, remotes: readonly RemoteSwagger[]): JsonObject {
  if (remotes.length === 0) return own;
  const [paths, definitions] = [{ ...objectIn(own["paths"]) }, { ...objectIn(own["definitions"]) }];
  for (const remote of remotes) {
    const names = new Map(
      Object.entries(remote.definitions).map(([name, type]) => [name, freeName(name, type, definitions)] as const),
    );
    for (const [name, type] of Object.entries(remote.definitions)) {
      definitions[names.get(name) ?? name] ??= renamed(type, names);
    }
    for (const [path, item] of Object.entries(remote.paths)) {
      if (!Object.hasOwn(paths, path)) paths[path] = renamed(item, names);
    }
  }
  return { ...own, paths, definitions };
}

function freeName(name: string, type: JsonValue, taken: Readonly<Record<string, JsonValue>>): string {
  for (let number = 1; number <= namesMax; number++) {
    const candidate = number === 1 ? name : `${name}_v${number}`;
    if (!Object.hasOwn(taken, candidate) || sameJson(taken[candidate], type)) return candidate;
  }
  return name;
}

function renamed(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, each]) => {
      const target = member === "$ref" && typeof each === "string" ? targetOf(each) : undefined;
      const name = target === undefined ? undefined : names.get(target);
      return [member, name === undefined ? renamed(each, names) : `${referencePrefix}${name}`];
    }),
  );
}

function referencesIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([member, each]) => {
    const target = member === "$ref" && typeof each === "string" ? targetOf(each) : undefined;
    return target === undefined ? referencesIn(each) : [target];
  });
}

function targetOf(reference: string): string | undefined {
  return reference.startsWith(referencePrefix) ? reference.slice(referencePrefix.length) : undefined;
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
