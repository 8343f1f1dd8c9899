import {
  classOfClaim,
  findDefaultClass,
  isApiError,
  type ObjectReference,
  parseKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from "@kintsugi/api";
import { done, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { BinderEvent, BinderWrite } from "./binder-plan.ts";
import { type ClaimWorld, planClaim } from "./plan-claim.ts";
import { planVolume } from "./plan-volume.ts";

/** A binding takes four writes, and a fifth sets the claim's class. */
const writesMax = 6;
/** Another client wrote first; its change has usually arrived by the next try. */
const conflictRetryMs = 50;

/** Moves claims and volumes from one state to the next, write by write. */
export class BinderReconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcileClaim(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    let claim = this.#context.informers.of(persistentVolumeClaims).find(parseKey(key));
    if (claim === undefined) return done;
    const written = new Map<string, PersistentVolume>();
    for (let writes = 0; writes < writesMax; writes++) {
      const { write, events } = planClaim(claim, this.#worldOf(claim, written));
      if (write !== undefined) {
        const result = await this.#tryWrite(write, signal);
        if (result === "conflict") return { retryAfterMs: conflictRetryMs };
        if (result.of === "claim") claim = result.object;
        else written.set(result.object.metadata.name ?? "", result.object);
      }
      this.#record(referenceTo(persistentVolumeClaims, claim), events);
      if (write === undefined || events.length > 0) return done;
    }
    return done;
  }

  async reconcileVolume(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    let volume = this.#context.informers.of(persistentVolumes).find(parseKey(key));
    if (volume === undefined) return done;
    for (let writes = 0; writes < writesMax; writes++) {
      const { write, events } = planVolume(volume, await this.#claimOf(volume, signal));
      if (write === undefined) return done;
      const result = await this.#tryWrite(write, signal);
      if (result === "conflict") return { retryAfterMs: conflictRetryMs };
      if (result.of === "volume") volume = result.object;
      this.#record(referenceTo(persistentVolumes, volume), events);
    }
    return done;
  }

  #worldOf(claim: PersistentVolumeClaim, written: ReadonlyMap<string, PersistentVolume>): ClaimWorld {
    const { informers } = this.#context;
    const { namespace = "", name = "" } = claim.metadata;
    const volumes = informers.of(persistentVolumes);
    const current = (volume: PersistentVolume) => written.get(volume.metadata.name ?? "") ?? volume;
    const found = [
      ...volumes.byIndex("claim", `${namespace}/${name}`),
      ...volumes.byIndex("class", classOfClaim(claim)),
      ...written.values(),
    ].map(current);
    const { volumeName = "" } = claim.spec ?? {};
    const known = volumeName === "" ? undefined : volumes.find({ namespace: "", name: volumeName });
    const classes = informers.of(storageClasses);
    return {
      candidates: [...new Set(found)],
      named: written.get(volumeName) ?? known,
      storageClass: classes.find({ namespace: "", name: classOfClaim(claim) }),
      defaultClass: findDefaultClass(classes.list())?.metadata.name,
    };
  }

  /**
   * A volume is released only when the API itself does not have the claim, because the cache may be
   * stale.
   */
  async #claimOf({ spec }: PersistentVolume, signal: AbortSignal): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = "", name = "", uid = "" } = spec?.claimRef ?? {};
    if (name === "" || uid === "") return undefined;
    const { client, informers } = this.#context;
    const key = { namespace, name };
    const known = informers.of(persistentVolumeClaims).find(key);
    return known?.metadata.uid === uid ? known : client.find(persistentVolumeClaims, key, { signal });
  }

  async #tryWrite(write: BinderWrite, signal: AbortSignal): Promise<Written | "conflict"> {
    const { client } = this.#context;
    try {
      switch (write.of) {
        case "volume":
          return { of: "volume", object: await client.update(persistentVolumes, write.object, { signal }) };
        case "volume status": {
          const options = { subresource: "status", signal };
          return { of: "volume", object: await client.update(persistentVolumes, write.object, options) };
        }
        case "claim":
          return { of: "claim", object: await client.update(persistentVolumeClaims, write.object, { signal }) };
        case "claim status": {
          const options = { subresource: "status", signal };
          return { of: "claim", object: await client.update(persistentVolumeClaims, write.object, options) };
        }
      }
    } catch (error) {
      // Every write names the revision that was read, so other writes are never overwritten.
      if (isApiError(error, "Conflict", "NotFound")) return "conflict";
      throw error;
    }
  }

  #record(about: ObjectReference, events: readonly BinderEvent[]): void {
    for (const event of events) this.#context.recordEvent({ about, ...event });
  }
}

type Written = { of: "volume"; object: PersistentVolume } | { of: "claim"; object: PersistentVolumeClaim };
