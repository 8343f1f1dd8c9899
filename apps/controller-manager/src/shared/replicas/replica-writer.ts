import {
  isApiError,
  isControlledBy,
  type Logger,
  type Pod,
  pods,
  type ReplicaSet,
  type ResourceType,
  messageOf,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";
import type { Expectations } from "@kintsugi/controller";
import { type RecordEvent, referenceTo } from "@kintsugi/controller";
import { generatedName, podNamePrefix } from "../writes/generated-name.ts";
import { inParallel, inSlowStart } from "../writes/in-parallel.ts";
import { isNamespaceTerminating, isOutcomeUnknown } from "../writes/write-outcome.ts";
import { podFromTemplate } from "./pod-template.ts";
import type { ReplicaFailure } from "./plan.ts";

/**
 * Concurrent deletions of one set. Each deletion is small, and other sets have to be served too.
 */
const deletionsInFlightMax = 32;

export interface ReplicaWriterDeps {
  /** The kind of the owners of the pods. */
  ownerType: ResourceType;
  client: Client;
  random: Random;
  log: Logger;
  recordEvent: RecordEvent;
  expectations: Expectations;
}

export interface ReplicaWriteResult {
  failure?: ReplicaFailure;
  /** The first error; undefined when everything succeeded or a retry would not help. */
  error?: Error;
  /** Names of pods that may or may not have been created. */
  unsettled: string[];
}

export interface WantedReplicas {
  key: string;
  count: number;
  /**
   * Names of creations whose outcome was unknown and that turned out not to exist; they are reused
   * first.
   */
  oldNames: readonly string[];
  /** Reports whether a pod of the set's namespace has this name already. */
  isTaken: (name: string) => boolean;
  /** The nodes that each of the first new pods avoids. */
  avoid: readonly (readonly string[])[];
}

/** Creates and deletes the pods of one set, and records its attempts. */
export class ReplicaWriter {
  readonly #deps: ReplicaWriterDeps;

  constructor(deps: ReplicaWriterDeps) {
    this.#deps = deps;
  }

  /** Creates pods under names that no other pod has. */
  async create(set: ReplicaSet, wanted: WantedReplicas, signal: AbortSignal): Promise<ReplicaWriteResult> {
    const unsettled: string[] = [];
    const chosen = new Set(wanted.oldNames.slice(0, wanted.count));
    const isTaken = (name: string) => chosen.has(name) || wanted.isTaken(name);
    while (chosen.size < wanted.count)
      chosen.add(generatedName(podNamePrefix(set), { random: this.#deps.random, isTaken }));
    const names = [...chosen];
    const avoided = new Map(names.map((name, i) => [name, wanted.avoid[i] ?? []]));
    const errors = await inSlowStart(names, signal, async (name) => {
      this.#deps.expectations.expectCreation(wanted.key, name);
      try {
        await this.#createOne(set, name, avoided.get(name));
      } catch (error) {
        if (isOutcomeUnknown(error)) unsettled.push(name);
        else this.#deps.expectations.creationObserved(wanted.key, name);
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    return { ...this.#failed(set, "FailedCreate", errors), unsettled };
  }

  async delete(set: ReplicaSet, key: string, chosen: readonly Pod[]): Promise<ReplicaWriteResult> {
    const errors = await inParallel(chosen, deletionsInFlightMax, async (pod) => {
      const { namespace = "", name = "", uid = "" } = pod.metadata;
      this.#deps.expectations.expectDeletion(key, uid);
      try {
        await this.#deps.client.delete(pods, { namespace, name }, { preconditions: { uid } });
      } catch (error) {
        if (!isOutcomeUnknown(error)) this.#deps.expectations.deletionObserved(key, uid);
        // The pod no longer exists, or another pod now has its name.
        if (isApiError(error, "NotFound", "Conflict")) return;
        throw error;
      }
      this.#record(set, "SuccessfulDelete", `Deleted pod: ${name}`);
    });
    return { ...this.#failed(set, "FailedDelete", errors), unsettled: [] };
  }

  async #createOne(set: ReplicaSet, name: string, avoid: readonly string[] | undefined): Promise<void> {
    const { client, ownerType } = this.#deps;
    const { namespace = "" } = set.metadata;
    try {
      await client.create(pods, podFromTemplate(set, { name, ownerType, avoid }));
    } catch (error) {
      if (!isApiError(error, "AlreadyExists")) throw error;
      // Either an earlier try has created this pod, or a pod of another owner has the name by
      // chance. In the second case, the next pass tries another name.
      const existing = await client.find(pods, { namespace, name });
      if (!existing || !isControlledBy(existing, set)) throw error;
    }
    this.#record(set, "SuccessfulCreate", `Created pod: ${name}`);
  }

  #failed(
    set: ReplicaSet,
    reason: ReplicaFailure["reason"],
    errors: readonly unknown[],
  ): { failure?: ReplicaFailure; error?: Error } {
    for (const error of errors) {
      const what = reason === "FailedCreate" ? "creating" : "deleting";
      this.#record(set, reason, `Error ${what}: ${messageOf(error)}`);
    }
    if (errors.length === 0) return {};
    const error = errors[0] instanceof Error ? errors[0] : new Error(String(errors[0]));
    return { failure: { reason, message: error.message }, error };
  }

  #record(set: ReplicaSet, reason: string, message: string): void {
    const type = reason.startsWith("Failed") ? "Warning" : "Normal";
    this.#deps.recordEvent({ about: referenceTo(this.#deps.ownerType, set), type, reason, message });
  }
}
