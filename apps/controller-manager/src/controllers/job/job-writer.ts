import { isApiError, isControlledBy, isPodActive, type Job, jobs, type Pod, pods } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Expectations, type RecordEvent, referenceTo } from "@kintsugi/controller";
import { inParallel, inSlowStart } from "../../shared/writes/in-parallel.ts";
import { isNamespaceTerminating, isOutcomeUnknown } from "../../shared/writes/write-outcome.ts";
import type { Cause } from "./plan/conditions.ts";
import { jobPod, type NewPod } from "./plan/job-pod.ts";
import { removeTrackingFinalizer } from "./tracking-finalizer.ts";

/** Concurrent writes of one Job. Each write is small, and other Jobs have to be served too. */
const writesInFlightMax = 32;

export interface JobWriterDeps {
  client: Client;
  recordEvent: RecordEvent;
  expectations: Expectations;
}

export interface WriteResult<T> {
  done: T[];
  /** The first of the failures. */
  error?: Error;
}

/** Writes the pods of one Job, and records its attempts. */
export class JobWriter {
  readonly #deps: JobWriterDeps;

  constructor(deps: JobWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Creates pods. `unsettled` are names with which a pod may or may not have been created, and
   * `failed` is the number of creations that were not acknowledged.
   */
  async create(
    job: Job,
    { key, wanted }: { key: string; wanted: readonly NewPod[] },
    signal: AbortSignal,
  ): Promise<WriteResult<NewPod> & { unsettled: string[]; failed: number }> {
    const { expectations } = this.#deps;
    const unsettled: string[] = [];
    const created: NewPod[] = [];
    const errors = await inSlowStart(wanted, signal, async (pod) => {
      expectations.expectCreation(key, pod.name);
      try {
        await this.#createOne(job, pod);
        created.push(pod);
      } catch (error) {
        if (isOutcomeUnknown(error)) unsettled.push(pod.name);
        else expectations.creationObserved(key, pod.name);
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    return { ...this.#result(job, "FailedCreate", { done: created, errors }), unsettled, failed: errors.length };
  }

  /** Deletes pods, which remain until they have ended and are counted. */
  end(job: Job, chosen: readonly Pod[]): Promise<WriteResult<Pod>> {
    return this.#delete(job, chosen, async (pod) => this.#deleteOne(job, pod));
  }

  /** Releases pods without counting them. */
  remove(job: Job, key: string, chosen: readonly Pod[]): Promise<WriteResult<Pod>> {
    const { client, expectations } = this.#deps;
    return this.#delete(job, chosen, async (pod) => {
      const { uid = "" } = pod.metadata;
      expectations.expectDeletion(key, uid);
      try {
        // A pod that has ended in the meantime has to be counted.
        await removeTrackingFinalizer(client, pod, isPodActive);
        await this.#deleteOne(job, pod);
      } catch (error) {
        if (!isOutcomeUnknown(error)) expectations.deletionObserved(key, uid);
        throw error;
      }
    });
  }

  /** Removes finalizers of pods that the status names; `onDone` is called with each of them. */
  async release(chosen: readonly Pod[], onDone: (pod: Pod) => void): Promise<WriteResult<Pod>> {
    const done: Pod[] = [];
    const errors = await inParallel(chosen, writesInFlightMax, async (pod) => {
      await removeTrackingFinalizer(this.#deps.client, pod);
      onDone(pod);
      done.push(pod);
    });
    return errors.length === 0 ? { done } : { done, error: asError(errors[0]) };
  }

  note(job: Job, { reason, message }: Cause): void {
    this.#deps.recordEvent({ about: referenceTo(jobs, job), type: "Normal", reason, message });
  }

  warn(job: Job, { reason, message }: Cause): void {
    this.#deps.recordEvent({ about: referenceTo(jobs, job), type: "Warning", reason, message });
  }

  async #delete(job: Job, chosen: readonly Pod[], work: (pod: Pod) => Promise<void>): Promise<WriteResult<Pod>> {
    const done: Pod[] = [];
    const errors = await inParallel(chosen, writesInFlightMax, async (pod) => {
      await work(pod);
      done.push(pod);
    });
    return this.#result(job, "FailedDelete", { done, errors });
  }

  async #createOne(job: Job, pod: NewPod): Promise<void> {
    const { client } = this.#deps;
    const { namespace = "" } = job.metadata;
    try {
      await client.create(pods, jobPod(job, pod));
    } catch (error) {
      if (!isApiError(error, "AlreadyExists")) throw error;
      // Either an earlier try has created this pod, or a pod of another owner has the name by
      // chance. In the second case, the next pass tries another name.
      const existing = await client.find(pods, { namespace, name: pod.name });
      if (!existing || !isControlledBy(existing, job)) throw error;
    }
    this.note(job, { reason: "SuccessfulCreate", message: `Created pod: ${pod.name}` });
  }

  async #deleteOne(job: Job, { metadata }: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = metadata;
    try {
      await this.#deps.client.delete(pods, { namespace, name }, { preconditions: { uid } });
    } catch (error) {
      // The pod no longer exists, or another pod now has its name.
      if (isApiError(error, "NotFound", "Conflict")) return;
      throw error;
    }
    this.note(job, { reason: "SuccessfulDelete", message: `Deleted pod: ${name}` });
  }

  #result<T>(
    job: Job,
    reason: "FailedCreate" | "FailedDelete",
    { done, errors }: { done: T[]; errors: readonly unknown[] },
  ): WriteResult<T> {
    const failures = errors.map(asError);
    for (const { message } of failures.filter((error) => !isApiError(error, "Conflict"))) {
      this.warn(job, { reason, message: `Error ${reason === "FailedCreate" ? "creating" : "deleting"}: ${message}` });
    }
    return failures[0] === undefined ? { done } : { done, error: failures[0] };
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
