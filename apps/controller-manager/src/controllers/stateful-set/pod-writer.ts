import {
  isApiError,
  isControlledBy,
  keyOf,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  type Pod,
  pods,
  type StatefulSet,
  statefulSets,
  messageOf,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Informers, type RecordEvent, referenceTo } from "@kintsugi/controller";
import { podDeletion } from "../../shared/writes/pod-deletion.ts";
import { isNamespaceTerminating } from "../../shared/writes/write-outcome.ts";
import type { WrittenObjects } from "../../shared/writes/written-objects.ts";
import { type Member, planClaimOwners } from "./claim-owners.ts";
import { claimNameOf, claimsOf, podNameLabel, volumesWithClaims } from "./identity.ts";
import type { PodAction } from "./plan-ordinals.ts";

export interface PodWriterDeps {
  client: Client;
  informers: Informers;
  recordEvent: RecordEvent;
  written: WrittenObjects;
}

/** The result of a write, as an event reports it. */
type Outcome = { verb: "create" | "update" | "delete" } | { verb: "create" | "update" | "delete"; error: unknown };

/** Carries out the plan for pods and claims, with upstream's events. */
export class PodWriter {
  readonly #deps: PodWriterDeps;

  constructor(deps: PodWriterDeps) {
    this.#deps = deps;
  }

  async apply(set: StatefulSet, key: string, action: PodAction): Promise<void> {
    switch (action.do) {
      case "create":
        return this.#create(set, key, action);
      case "delete":
        return this.#delete(set, key, action.member.pod);
      case "claims":
        return this.#createClaims(set, action.member.ordinal, action.member.pod);
      case "identity":
        return this.#repair(set, key, action.member);
    }
  }

  /** Sets the owners of the pod's claims that the set's retention policy requires. */
  async applyRetention(set: StatefulSet, member: Member): Promise<void> {
    for (const template of set.spec?.volumeClaimTemplates ?? []) {
      const claim = this.#findClaim(set, claimNameOf(set, template, member.ordinal));
      if (claim === undefined) continue;
      const ownerReferences = planClaimOwners(set, member, claim);
      if (ownerReferences === undefined) continue;
      const { resourceVersion, uid } = claim.metadata;
      const metadata = { resourceVersion, uid, ownerReferences: ownerReferences.length === 0 ? null : ownerReferences };
      try {
        await this.#deps.client.patch(persistentVolumeClaims, keyOf(claim), { type: "merge", body: { metadata } });
      } catch (error) {
        if (isApiError(error, "NotFound")) continue;
        this.#recordPod(set, member.pod, { verb: "update", error });
        throw error;
      }
    }
  }

  async #create(set: StatefulSet, key: string, { ordinal, pod }: { ordinal: number; pod: Pod }): Promise<void> {
    const { client, written } = this.#deps;
    try {
      await this.#createClaims(set, ordinal, pod);
      written.written(key, await client.create(pods, pod));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      // The pod of an earlier pass exists, but the informer has not received it yet. Another
      // owner's pod has to be removed first; upstream does not record an event for that.
      if (isApiError(error, "AlreadyExists")) {
        const existing = await client.find(pods, keyOf(pod));
        if (existing !== undefined && isControlledBy(existing, set)) return;
      } else this.#recordPod(set, pod, { verb: "create", error });
      throw error;
    }
    this.#recordPod(set, pod, { verb: "create" });
  }

  async #delete(set: StatefulSet, key: string, pod: Pod): Promise<void> {
    try {
      await this.#deps.client.delete(pods, keyOf(pod), podDeletion(pod));
    } catch (error) {
      // The pod no longer exists, or another pod has its name.
      if (isApiError(error, "NotFound", "Conflict")) return;
      this.#recordPod(set, pod, { verb: "delete", error });
      throw error;
    }
    this.#recordPod(set, pod, { verb: "delete" });
  }

  async #repair(set: StatefulSet, key: string, { pod, ordinal }: Member): Promise<void> {
    const { resourceVersion, uid, name = "" } = pod.metadata;
    const volumes = volumesWithClaims(set, ordinal, pod.spec?.volumes);
    const body = {
      metadata: { resourceVersion, uid, labels: { [podNameLabel]: name } },
      ...(volumes.length === 0 ? {} : { spec: { volumes } }),
    };
    try {
      await this.#createClaims(set, ordinal, pod);
      this.#deps.written.written(key, await this.#deps.client.patch(pods, keyOf(pod), { type: "merge", body }));
    } catch (error) {
      if (isApiError(error, "NotFound")) return;
      this.#recordPod(set, pod, { verb: "update", error });
      throw error;
    }
    this.#recordPod(set, pod, { verb: "update" });
  }

  async #createClaims(set: StatefulSet, ordinal: number, pod: Pod): Promise<void> {
    const errors: string[] = [];
    for (const claim of claimsOf(set, ordinal)) {
      const name = claim.metadata.name ?? "";
      const existing = this.#findClaim(set, name);
      if (existing?.metadata.deletionTimestamp !== undefined) errors.push(`pvc ${name} is being deleted`);
      if (existing !== undefined) continue;
      try {
        await this.#deps.client.create(persistentVolumeClaims, claim);
        this.#recordClaim(set, { pod, claim }, { verb: "create" });
      } catch (error) {
        if (isApiError(error, "AlreadyExists")) continue;
        if (isNamespaceTerminating(error)) throw error;
        errors.push(`failed to create PVC ${name}: ${messageOf(error)}`);
        this.#recordClaim(set, { pod, claim }, { verb: "create", error });
      }
    }
    if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
  }

  #findClaim({ metadata }: StatefulSet, name: string): PersistentVolumeClaim | undefined {
    return this.#deps.informers.of(persistentVolumeClaims).find({ namespace: metadata.namespace ?? "", name });
  }

  #recordPod(set: StatefulSet, pod: Pod, outcome: Outcome): void {
    const about = `${outcome.verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    this.#record(
      set,
      outcome,
      "error" in outcome ? `${about} failed error: ${messageOf(outcome.error)}` : `${about} successful`,
    );
  }

  #recordClaim(set: StatefulSet, { pod, claim }: { pod: Pod; claim: PersistentVolumeClaim }, outcome: Outcome): void {
    const [name, of] = [claim.metadata.name, `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`];
    const message =
      "error" in outcome
        ? `create Claim ${name} for ${of} failed error: ${messageOf(outcome.error)}`
        : `create Claim ${name} ${of} success`;
    this.#record(set, outcome, message);
  }

  #record(set: StatefulSet, outcome: Outcome, message: string): void {
    const { verb } = outcome;
    const hasFailed = "error" in outcome;
    this.#deps.recordEvent({
      about: referenceTo(statefulSets, set),
      type: hasFailed ? "Warning" : "Normal",
      reason: `${hasFailed ? "Failed" : "Successful"}${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
      message,
    });
  }
}
