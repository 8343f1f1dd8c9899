import {
  apiVersionOf,
  DeleteOptions,
  describeSchema,
  type Kind,
  type ResourceType,
  type TypeDescription,
} from "@kintsugi/api";
import type { DescribeKind } from "../http/body.ts";
import type { Encodings } from "../http/negotiate.ts";
import { converterOf } from "../table/table-converter.ts";
import { storeResource } from "./keys.ts";
import type { KubeObject, Resource } from "./resource.ts";
import { type ServedResource, servedResource } from "./served-resource.ts";
import type { SubresourceDescription } from "./subresource.ts";

/**
 * Bodies that clients send in the name of any group. Upstream registers them in every version that
 * it serves, and client-go writes the resource's own version, "v1" or "meta.k8s.io/v1", depending
 * on its age. Options of other verbs are only in the query.
 */
const descriptionsOfEveryGroup: ReadonlyMap<string, TypeDescription> = new Map([
  ["DeleteOptions", describeSchema(DeleteOptions)],
]);

type Named = Pick<ResourceType, "group" | "version" | "resource">;

/**
 * The served kinds, found by the names in a request. Kinds can be added and removed while the
 * server runs.
 */
export interface Registry {
  /** The stored resources, in discovery's order. */
  readonly resources: readonly Resource[];
  /** The stored resources, and the kinds that have their own routes. */
  readonly served: readonly ServedResource[];
  /**
   * A number that grows with every change. A cache of the served kinds is valid while the number is
   * unchanged.
   */
  readonly generation: number;
  /** Finds a resource by group, version and plural, as in a URL. */
  find(group: string, version: string, resource: string): Resource | undefined;
  /** Returns a kind that is always served. @throws Error when the kind is not served. */
  get(type: Named): Resource;
  findByKind(apiVersion: string, kind: string): Resource | undefined;
  /** Finds a resource by its name in the store: "core/pods". */
  findStored(storeName: string): Resource | undefined;
  /** Returns the schema of a protobuf body by its apiVersion and kind. */
  readonly describe: DescribeKind;
  /** Reports whether any kind is served under this group and version. */
  has(group: string, version: string): boolean;
  /**
   * Serves one more kind. @throws Error when its names are in use, or it is a view of a kind that
   * is not served.
   */
  add(kind: Kind): void;
  /**
   * Stops serving a kind; its stored objects remain. @throws Error when the kind is not served, or
   * a view of the kind is still served.
   */
  remove(type: Named): void;
  /**
   * Removes and adds kinds in one step.
   * @throws Error as `add` and `remove` do, without changing anything.
   */
  change(change: KindChange): void;
  /** Calls `listener` with each stored kind that has been removed or replaced. */
  onRemoved(listener: (removed: Resource, isReplaced: boolean) => void): void;
}

interface RegistryOptions {
  readonly isServed?: (type: Named) => boolean;
  readonly encodings?: Pick<Encodings, "cbor">;
}

/**
 * @param subresources all subresources that a kind may name, each once.
 * @param isServed false for kinds that only the server itself finds.
 * Absent: requests find all kinds.
 * @param encodings determines the media types of bodies; absent: without CBOR.
 */
export function createRegistry(
  kinds: readonly Kind[],
  subresources: readonly SubresourceDescription[],
  { isServed = () => true, encodings = { cbor: false } }: RegistryOptions = {},
): Registry {
  const known = { subresources: new Map(subresources.map((each) => [each.name, each])), encodings, isServed };
  const listeners: ((removed: Resource, isReplaced: boolean) => void)[] = [];
  let generation = 1;
  let index = indexOf(kinds, known, { byKind: new Map(), servedByKind: new Map() });
  const change = ({ remove, add }: KindChange): void => {
    const gone = new Set(remove.map(pathOf));
    const left = index.kinds.filter(({ type }) => !gone.has(pathOf(type)));
    if (left.length + gone.size !== index.kinds.length) {
      const served = new Set(index.kinds.map(({ type }) => pathOf(type)));
      throw new Error(`${[...gone].find((path) => !served.has(path))} is not served`);
    }
    const before = index.byPath;
    // An unchanged kind keeps its resource, because watches and encoders are indexed by it.
    index = indexOf([...left, ...add], known, index);
    generation++;
    for (const path of gone) {
      const removed = before.get(path);
      if (removed === undefined) continue;
      for (const listener of listeners) listener(removed, index.byPath.has(path));
    }
  };
  const own = {
    get generation() {
      return generation;
    },
  };
  const shown = perGeneration(own, () => index.served.filter(({ type }) => isServed(type)));
  const versions = perGeneration(own, () => new Set(shown().map(({ type }) => apiVersionOf(type))));
  return {
    get resources() {
      return index.resources;
    },
    get served() {
      return shown();
    },
    get generation() {
      return generation;
    },
    find: (group, version, resource) => index.findable.get(pathOf({ group, version, resource })),
    get: (type) => {
      const found = index.byPath.get(pathOf(type));
      if (found === undefined) throw new Error(`${pathOf(type)} is not served`);
      return found;
    },
    findByKind: (apiVersion, kind) => index.byNames.get(`${apiVersion} ${kind}`),
    findStored: (name) => index.byStore.get(name),
    describe: (apiVersion, kind) =>
      index.descriptions.get(`${apiVersion} ${kind}`) ?? descriptionsOfEveryGroup.get(kind),
    has: (group, version) => versions().has(apiVersionOf({ group, version })),
    add: (kind) => change({ remove: [], add: [kind] }),
    remove: (type) => change({ remove: [type], add: [] }),
    change,
    onRemoved: (listener) => void listeners.push(listener),
  };
}

/** Kinds that are added and removed together. */
interface KindChange {
  readonly remove: readonly Named[];
  readonly add: readonly Kind[];
}

/** Computes a value from the served kinds when it is first used after a change of these kinds. */
export function perGeneration<T>(registry: Pick<Registry, "generation">, make: () => T): () => T {
  let made: { generation: number; value: T } | undefined;
  return () => {
    if (made?.generation !== registry.generation) made = { generation: registry.generation, value: make() };
    return made.value;
  };
}

interface Index {
  kinds: readonly Kind[];
  byKind: ReadonlyMap<Kind, Resource>;
  servedByKind: ReadonlyMap<Kind, ServedResource>;
  resources: readonly Resource[];
  served: readonly ServedResource[];
  byPath: ReadonlyMap<string, Resource>;
  /**
   * The resources of `byPath` that requests find. It is computed after a change of kinds, because
   * every request looks it up.
   */
  findable: ReadonlyMap<string, Resource>;
  byNames: ReadonlyMap<string, Resource>;
  byStore: ReadonlyMap<string, Resource>;
  descriptions: ReadonlyMap<string, TypeDescription>;
}

interface Known {
  readonly subresources: ReadonlyMap<string, SubresourceDescription>;
  readonly encodings: Pick<Encodings, "cbor">;
  readonly isServed: (type: Named) => boolean;
}

function indexOf(
  kinds: readonly Kind[],
  { subresources, encodings, isServed }: Known,
  earlier: Pick<Index, "byKind" | "servedByKind">,
): Index {
  assertDistinct(kinds);
  const byKind = new Map<Kind, Resource>();
  const stored = kinds.filter(({ answered }) => answered !== true);
  const views = stored.filter(({ view }) => view !== undefined);
  const originals = stored.filter(({ view }) => view === undefined);
  for (const kind of originals) byKind.set(kind, earlier.byKind.get(kind) ?? resourceOf(kind, subresources));
  // The first of several versions that share a place in the store represents all of them.
  const byStore = new Map(
    originals.toReversed().map((kind) => [storeResource(kind.type), byKind.get(kind) as Resource]),
  );
  for (const kind of views) {
    const of = byStore.get(storeResource(kind.view?.of ?? kind.type));
    if (of === undefined) throw new Error(`${pathOf(kind.type)} is a view of a kind that is not served`);
    byKind.set(kind, earlier.byKind.get(kind) ?? viewOf(kind, of, subresources));
  }
  const resources = stored.map((kind) => byKind.get(kind) as Resource);
  const servedByKind = new Map(
    kinds.map((kind) => [
      kind,
      earlier.servedByKind.get(kind) ?? servedResource(kind, namedSubresources(kind, subresources).values(), encodings),
    ]),
  );
  const bodies = [...subresources.values()].flatMap(({ body }) => (body !== undefined && "type" in body ? [body] : []));
  const byPath = new Map(resources.map((resource) => [pathOf(resource.type), resource]));
  return {
    kinds,
    byKind,
    resources,
    servedByKind,
    served: [...servedByKind.values()],
    byPath,
    findable: new Map([...byPath].filter(([, { type }]) => isServed(type))),
    byNames: new Map(resources.map((resource) => [namesOf(resource.type), resource])),
    byStore,
    descriptions: new Map([
      ...kinds
        .filter(({ exceptions }) => exceptions.schemaIsData !== true)
        .map(({ type, description }): [string, TypeDescription] => [namesOf(type), description]),
      ...bodies.map(({ type, schema }): [string, TypeDescription] => [namesOf(type), describeSchema(schema)]),
    ]),
  };
}

function resourceOf(kind: Kind, subresources: ReadonlyMap<string, SubresourceDescription>): Resource {
  // The pipeline calls a resource only with objects that the resource's own schema has parsed.
  const own = kind as unknown as Kind<KubeObject>;
  const { type, schema, description, table } = own;
  return {
    kind: own,
    type,
    schema,
    description,
    decode: own.decode && ((body) => own.decode?.(body) as KubeObject),
    storeName: storeResource(type),
    subresources: namedSubresources(kind, subresources),
    table: converterOf(table),
  };
}

function viewOf(kind: Kind, of: Resource, subresources: ReadonlyMap<string, SubresourceDescription>): Resource {
  const resource = resourceOf(kind, subresources);
  const { view } = resource.kind;
  return { ...resource, storeName: of.storeName, ...(view === undefined ? {} : { view: { ...view, of } }) };
}

function namedSubresources(
  kind: Kind,
  subresources: ReadonlyMap<string, SubresourceDescription>,
): ReadonlyMap<string, SubresourceDescription> {
  const named = new Map<string, SubresourceDescription>();
  for (const name of kind.subresources) {
    const subresource = subresources.get(name);
    if (subresource === undefined) throw new Error(`${pathOf(kind.type)} names the unknown subresource ${name}`);
    named.set(name, subresource);
  }
  if (named.has("scale") && kind.scale === undefined)
    throw new Error(`${pathOf(kind.type)} does not declare how it is scaled`);
  return named;
}

/**
 * Two kinds at one URL, under one name, or in one place of the store would be confused with each
 * other.
 */
function assertDistinct(kinds: readonly Kind[]): void {
  const taken = new Set<string>();
  const places = new Map<string, string>();
  for (const { type, view, answered, storedForm } of kinds) {
    for (const name of [pathOf(type), namesOf(type)]) {
      if (taken.has(name)) throw new Error(`${name} is served already`);
      taken.add(name);
    }
    if (view !== undefined || answered === true) continue;
    // Versions of one definition share their place in the store.
    const place = storeResource(type);
    const owner = storedForm?.definition.uid ?? pathOf(type);
    if ((places.get(place) ?? owner) !== owner) throw new Error(`stored as ${place} is served already`);
    places.set(place, owner);
  }
}

function pathOf(type: Named): string {
  return `${type.group}/${type.version}/${type.resource}`;
}

function namesOf(type: Pick<ResourceType, "group" | "version" | "kind">): string {
  return `${apiVersionOf(type)} ${type.kind}`;
}
