import { type ApiObject, keyOf, type OwnerReference, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { adopted, type Claimant, planClaims, released } from "./plan-claims.ts";

export interface ClaimerOptions<Owned extends ApiObject> {
  ownerType: ResourceType;
  type: ResourceType<Owned>;
  /** Reports whether an object may still be adopted or released. */
  mayChange: (object: Owned) => boolean;
}

/** Adopts objects that match and have no owner, and releases those that do not match any more. */
export class Claimer<Owned extends ApiObject> {
  readonly #client: Client;
  readonly #options: ClaimerOptions<Owned>;

  constructor(client: Client, options: ClaimerOptions<Owned>) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the owner's objects afterwards. */
  async claim(claimant: Claimant, candidates: readonly Owned[], signal: AbortSignal): Promise<Owned[]> {
    const { owner } = claimant;
    const { keep, adopt, release } = planClaims(claimant, candidates, this.#options.mayChange);
    for (const object of release) await this.#writeOwners(object, released(object, owner));
    if (adopt.length > 0 && (await this.#mayAdopt(owner, signal))) {
      for (const object of adopt) {
        const next = await this.#writeOwners(object, adopted(object, owner, this.#options.ownerType));
        if (next) keep.push(next);
      }
    }
    return keep;
  }

  /** An owner that only looks alive in the cache must not adopt anything. */
  async #mayAdopt(owner: ApiObject, signal: AbortSignal): Promise<boolean> {
    const live = await this.#client.find(this.#options.ownerType, keyOf(owner), { signal });
    return live?.metadata.uid === owner.metadata.uid && live?.metadata.deletionTimestamp === undefined;
  }

  /** Undefined when the object has gone meanwhile. */
  async #writeOwners(object: Owned, references: OwnerReference[]): Promise<Owned | undefined> {
    const { resourceVersion, uid } = object.metadata;
    const ownerReferences = references.length === 0 ? null : references;
    const body = { metadata: { resourceVersion, uid, ownerReferences } };
    const { type } = this.#options;
    try {
      return await this.#client.patch(type, keyOf(object), { type: "merge", body });
    } catch (error) {
      if (await this.#client.find(type, keyOf(object))) throw error;
      return undefined;
    }
  }
}
