import { strict as assert } from "node:assert";
import type { ApiObject, ResourceType } from "@kintsugi/api";
import { createInformer, type Informer, type InformerDeps, type InformerOptions } from "@kintsugi/client";

/** A kind that a controller reads from a local copy, with the indexes that the controller needs. */
export interface Reading {
  readonly type: ResourceType;
  readonly indexes: Readonly<Record<string, Index>>;
}

type Index = (object: never) => readonly string[];
type Indexes = NonNullable<InformerOptions<ApiObject>["indexes"]>;

/** A kind with indexes: `reading(pods, { node: (pod) => [pod.spec?.nodeName ?? ""] })`. */
export function reading<T extends ApiObject>(
  type: ResourceType<T>,
  indexes: NonNullable<InformerOptions<T>["indexes"]>,
): Reading {
  return { type: type as unknown as ResourceType, indexes };
}

/** The local copies that a controller may read. */
export interface Informers {
  /** The copy of a declared kind. */
  of<T extends ApiObject>(type: ResourceType<T>): Informer<T>;
  /**
   * The copy of a kind that was declared as optional; undefined if the API server does not serve
   * it.
   */
  find<T extends ApiObject>(type: ResourceType<T>): Informer<T> | undefined;
}

/**
 * One informer per kind, shared by all controllers that read it. The set of kinds is fixed before
 * it runs.
 */
export class InformerPool implements Informers {
  readonly #byKind = new Map<string, Informer<ApiObject>>();

  constructor(deps: InformerDeps, readings: readonly Reading[]) {
    for (const [kind, { type, indexes }] of mergedByKind(readings))
      this.#byKind.set(kind, createInformer(deps, { type, indexes: indexes as Indexes }));
  }

  of<T extends ApiObject>(type: ResourceType<T>): Informer<T> {
    const informer = this.find(type);
    assert(informer, `no controller declares that it reads ${kindOf(type)}`);
    return informer;
  }

  find<T extends ApiObject>(type: ResourceType<T>): Informer<T> | undefined {
    return this.#byKind.get(kindOf(type)) as unknown as Informer<T> | undefined;
  }

  /** Follows the server until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#byKind.values()].map((informer) => informer.run(signal)));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#byKind.values()].map((informer) => informer.waitForSync(signal)));
  }
}

/** The part of a pool that one controller declares, so that it cannot read undeclared kinds. */
export class DeclaredInformers implements Informers {
  readonly #byKind: ReadonlyMap<string, Informer<ApiObject> | undefined>;
  readonly #controller: string;

  constructor(pool: Informers, readings: readonly Reading[], controller: string) {
    this.#byKind = new Map(readings.map(({ type }) => [kindOf(type), pool.find(type)]));
    this.#controller = controller;
  }

  of<T extends ApiObject>(type: ResourceType<T>): Informer<T> {
    const informer = this.find(type);
    assert(informer, `${kindOf(type)} is not served, but the controller ${this.#controller} reads it`);
    return informer;
  }

  find<T extends ApiObject>(type: ResourceType<T>): Informer<T> | undefined {
    const kind = kindOf(type);
    const informer = this.#byKind.get(kind);
    if (informer === undefined)
      assert(this.#byKind.has(kind), `the controller ${this.#controller} reads ${kind} without declaring it`);
    return informer as unknown as Informer<T> | undefined;
  }
}

/** Returns true when two types are the same kind of objects, in any version. */
export function isSameKind(a: Pick<ResourceType, "group" | "resource">, b: typeof a): boolean {
  return kindOf(a) === kindOf(b);
}

function kindOf({ group, resource }: Pick<ResourceType, "group" | "resource">): string {
  return `${group}/${resource}`;
}

function mergedByKind(readings: readonly Reading[]): Map<string, Reading> {
  const merged = new Map<string, Reading>();
  for (const { type, indexes } of readings) {
    const known = merged.get(kindOf(type))?.indexes ?? {};
    for (const [name, index] of Object.entries(indexes)) {
      const isClear = known[name] === undefined || known[name] === index;
      assert(isClear, `two controllers declare different indexes "${name}" of ${kindOf(type)}`);
    }
    merged.set(kindOf(type), { type, indexes: { ...known, ...indexes } });
  }
  return merged;
}
