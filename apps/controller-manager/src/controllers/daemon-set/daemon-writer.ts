import {
  type DaemonSet,
  daemonSets,
  isApiError,
  isControlledBy,
  keyOf,
  type Pod,
  pods,
  messageOf,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";
import { type Informers, type RecordEvent, referenceTo } from "@kintsugi/controller";
import { generatedName, podNamePrefix } from "../../shared/writes/generated-name.ts";
import { inParallel, inSlowStart } from "../../shared/writes/in-parallel.ts";
import { isNamespaceTerminating, isOutcomeUnknown } from "../../shared/writes/write-outcome.ts";
import { daemonPod } from "./daemon-pod.ts";
import type { Removal } from "./judge-node.ts";
import type { Steps } from "./plan-steps.ts";
import type { SetLedger } from "./set-ledger.ts";

/**
 * Concurrent deletions of one set. Each deletion is small, and other sets have to be served too.
 */
const deletionsInFlightMax = 32;

/** Live reads of one set in flight at the same time. */
const readsInFlightMax = 16;

export interface DaemonWriterDeps {
  client: Client;
  random: Random;
  informers: Informers;
  recordEvent: RecordEvent;
}

/** The set for which the writes are made, and the hash of its present revision. */
export interface Written {
  set: DaemonSet;
  ledger: SetLedger;
  hash: string;
}

/** Creates and deletes the pods of sets, and records its attempts in their ledgers. */
export class DaemonWriter {
  readonly #deps: DaemonWriterDeps;

  constructor(deps: DaemonWriterDeps) {
    this.#deps = deps;
  }

  /** Returns the first error; undefined when every write succeeded. */
  async write(written: Written, steps: Steps, signal: AbortSignal): Promise<Error | undefined> {
    const { set, ledger } = written;
    const failedCreates = await inSlowStart(steps.create, signal, (node) => this.#create(written, node));
    for (const error of failedCreates) this.#record(set, "FailedCreate", `Error creating: ${messageOf(error)}`);
    const failedDeletes = await inParallel(steps.remove, deletionsInFlightMax, ({ node, removal }) =>
      this.#delete(written, node, removal),
    );
    for (const error of failedDeletes) this.#record(set, "FailedDelete", `Error deleting: ${messageOf(error)}`);
    // A node is judged again when its write is in flight or was rejected.
    for (const node of steps.create) ledger.mark(node);
    for (const { node } of steps.remove) ledger.mark(node);
    const [error] = [...failedCreates, ...failedDeletes];
    return error === undefined || error instanceof Error ? error : new Error(messageOf(error));
  }

  /** Queries the server about the outcome of writes in doubt. */
  async settle({ set, ledger }: Pick<Written, "set" | "ledger">): Promise<void> {
    const errors = await inParallel([...ledger.doubted], readsInFlightMax, async (node) => {
      if (await this.#isDone(set, ledger, node)) ledger.expectations.renew(node);
      else ledger.expectations.reset(node);
      ledger.doubted.delete(node);
      ledger.mark(node);
    });
    if (errors.length > 0) throw errors[0];
  }

  /** Reports whether a write succeeded that the cache does not contain yet. */
  async #isDone(set: DaemonSet, ledger: SetLedger, node: string): Promise<boolean> {
    const { namespace = "" } = set.metadata;
    const [attempt, undone] = [ledger.attempts.get(node), ledger.undone.get(node)];
    if (attempt !== undefined) {
      const found = await this.#deps.client.find(pods, { namespace, name: attempt.name });
      if (found !== undefined && isControlledBy(found, set)) return ledger.attempts.has(node);
      // The name is reused where it is free: if the first request is still in flight, only one of
      // the two requests can succeed.
      if (found !== undefined) ledger.attempts.delete(node);
      return false;
    }
    if (undone === undefined) return false;
    const found = await this.#deps.client.find(pods, keyOf(undone));
    if (found?.metadata.uid !== undone.metadata.uid || found?.metadata.deletionTimestamp !== undefined)
      return ledger.undone.has(node);
    ledger.undone.delete(node);
    return false;
  }

  async #create({ set, ledger, hash }: Written, node: string): Promise<void> {
    const name = ledger.attempts.get(node)?.name ?? this.#newName(set, ledger);
    ledger.attempts.set(node, { name });
    ledger.expectations.expectCreation(node, name);
    try {
      await this.#createOne(set, daemonPod(set, { name, node, hash }));
    } catch (error) {
      if (isOutcomeUnknown(error)) ledger.doubted.add(node);
      else {
        ledger.attempts.delete(node);
        ledger.expectations.creationObserved(node, name);
      }
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  #newName(set: DaemonSet, ledger: SetLedger): string {
    const { random, informers } = this.#deps;
    const { namespace = "" } = set.metadata;
    const informer = informers.of(pods);
    const isUnderWay = (name: string) => [...ledger.attempts.values()].some((attempt) => attempt.name === name);
    const isTaken = (name: string) => informer.find({ namespace, name }) !== undefined || isUnderWay(name);
    return generatedName(podNamePrefix(set), { random, isTaken });
  }

  async #createOne(set: DaemonSet, pod: Pod): Promise<void> {
    const { namespace = "", name = "" } = pod.metadata;
    try {
      await this.#deps.client.create(pods, pod);
    } catch (error) {
      if (!isApiError(error, "AlreadyExists")) throw error;
      // Either an earlier try has created this pod, or a pod of another owner has the name by
      // chance. In the second case, the next pass tries another name.
      const existing = await this.#deps.client.find(pods, { namespace, name });
      if (!existing || !isControlledBy(existing, set)) throw error;
    }
    this.#record(set, "SuccessfulCreate", `Created pod: ${name}`);
  }

  async #delete({ set, ledger }: Written, node: string, { pod, ended }: Removal): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    if (ended !== undefined) this.#recordEnded(set, node, { pod, ended });
    if (ended === "failed") ledger.backoff.note(node);
    ledger.expectations.expectDeletion(node, uid);
    try {
      await this.#deps.client.delete(pods, { namespace, name }, { preconditions: { uid } });
    } catch (error) {
      if (isOutcomeUnknown(error)) {
        ledger.undone.set(node, pod);
        ledger.doubted.add(node);
      }
      // The pod no longer exists, or another pod now has its name. The cache will show that.
      if (isApiError(error, "NotFound", "Conflict")) return;
      if (!isOutcomeUnknown(error)) ledger.expectations.deletionObserved(node, uid);
      throw error;
    }
    this.#record(set, "SuccessfulDelete", `Deleted pod: ${name}`);
  }

  #recordEnded(set: DaemonSet, node: string, { pod, ended }: Removal): void {
    const { namespace = "", name = "" } = pod.metadata;
    const [reason, attempt] = ended === "failed" ? ["FailedDaemonPod", "kill"] : ["SucceededDaemonPod", "delete"];
    this.#record(
      set,
      reason as string,
      `Found ${ended} daemon pod ${namespace}/${name} on node ${node}, will try to ${attempt} it`,
    );
  }

  #record(set: DaemonSet, reason: string, message: string): void {
    const type = reason.startsWith("Failed") ? "Warning" : "Normal";
    this.#deps.recordEvent({ about: referenceTo(daemonSets, set), type, reason, message });
  }
}
