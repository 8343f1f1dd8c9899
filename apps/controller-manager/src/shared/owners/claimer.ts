import { type ApiObject, keyOf, type OwnerReference, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { adopted, type Claimant, planClaims, released } from "./plan-claims.ts";

export interface ClaimerOptions<Owned extends ApiObject> {
  ownerType: ResourceType;
  type: ResourceType<Owned>;
  /** Reports whether an object may still be adopted or released. */
  mayChange: (object: Owned) => boolean;
  /** An object gets this finalizer when it is adopted, and loses it when it is released. */
  finalizer?: string;
}

/** Adopts objects that match and have no owner, and releases objects that no longer match. */
export class Claimer<Owned extends ApiObject> {
  readonly #client: Client;
  readonly #options: ClaimerOptions<Owned>;

  constructor(client: Client, options: ClaimerOptions<Owned>) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the owner's objects afterwards. */
  async claim(claimant: Claimant<Owned>, candidates: readonly Owned[], signal: AbortSignal): Promise<Owned[]> {
    const { owner } = claimant;
    const { keep, adopt, release } = planClaims(claimant, candidates, this.#options.mayChange);
    for (const object of release) {
      const finalizers = this.#finalizersOf(object);
      await this.#writeOwners(object, { ownerReferences: released(object, owner), finalizers });
    }
    if (adopt.length > 0 && (await this.#mayAdopt(owner, signal))) {
      for (const object of adopt) {
        const ownerReferences = adopted(object, owner, this.#options.ownerType);
        const finalizers = [...this.#finalizersOf(object), ...[this.#options.finalizer ?? []].flat()];
        const next = await this.#writeOwners(object, { ownerReferences, finalizers });
        if (next) keep.push(next);
      }
    }
    return keep;
  }

  /** An owner that exists only in the cache must not adopt anything. */
  async #mayAdopt(owner: ApiObject, signal: AbortSignal): Promise<boolean> {
    const live = await this.#client.find(this.#options.ownerType, keyOf(owner), { signal });
    return live?.metadata.uid === owner.metadata.uid && live?.metadata.deletionTimestamp === undefined;
  }

  /** Returns the finalizers that do not belong to the owner. */
  #finalizersOf({ metadata }: Owned): string[] {
    return (metadata.finalizers ?? []).filter((name) => name !== this.#options.finalizer);
  }

  /** Undefined when the object was removed in the meantime. */
  async #writeOwners(
    object: Owned,
    { ownerReferences, finalizers }: { ownerReferences: OwnerReference[]; finalizers: string[] },
  ): Promise<Owned | undefined> {
    const { resourceVersion, uid } = object.metadata;
    const orNull = <T>(list: T[]) => (list.length === 0 ? null : list);
    const held = this.#options.finalizer === undefined ? {} : { finalizers: orNull(finalizers) };
    const body = { metadata: { resourceVersion, uid, ownerReferences: orNull(ownerReferences), ...held } };
    const { type } = this.#options;
    try {
      return await this.#client.patch(type, keyOf(object), { type: "merge", body });
    } catch (error) {
      if (await this.#client.find(type, keyOf(object))) throw error;
      return undefined;
    }
  }
}
