import { strict as assert } from "node:assert";
import {
  isApiError,
  isMirrorPod,
  type Logger,
  type Pod,
  pods,
  type PodStatus,
  terminationsAnnotation,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, untilAborted } from "@kintsugi/clock";
import { type BoundPod, boundPod, isDeleting, isMirrorOf, isStaticPod } from "../../model/bound-pod.ts";
import { mergeStatus } from "./merge-status.ts";
import { withTerminations } from "./termination-history.ts";
import { sameStatus } from "./same-status.ts";

/**
 * The wait before a failed write is retried, doubled up to the maximum. A newer status is written
 * immediately.
 */
const retryInitialMs = 200;
const retryMaxMs = 10_000;
/**
 * A conflict means that another client wrote. After more conflicts in a row than this limit, the
 * writer waits as after a failure.
 */
const conflictsMax = 5;

export interface StatusWriterDeps {
  client: Client;
  clock: Clock;
  log: Logger;
  /** The newest available copy of a pod; for a static pod, its mirror. */
  findPod(uid: string): Pod | undefined;
  /** Returns the reason why this kubelet has killed a container, if it has. */
  readonly killedBecause: (containerId: string) => string | undefined;
}

interface Entry {
  pod: BoundPod;
  status: PodStatus;
  /** Rises with every `set`; a write contains only the newest status. */
  version: number;
  writtenVersion: number;
  /**
   * Delete the object after the status is written, because all containers of the pod have stopped.
   */
  release: boolean;
  isWriting: boolean;
  failures: number;
  timer: { cancel(): void } | undefined;
  /**
   * The server's last answer, until the informer's copy is as new. This answer avoids a conflict
   * while the copy lags behind the kubelet's own write.
   */
  answered: Pod | undefined;
  /** The resource version of the last answer; 0 before the first. */
  answeredVersion: number;
  /**
   * The part of `status` that the server stores, if the server does not store all of it: an older
   * server drops the fields that it does not have.
   */
  kept: PodStatus | undefined;
}

/**
 * Writes the statuses of the kubelet's pods to the API: one write at a time per pod, always the
 * newest status, and never to another pod of the same name. It also deletes the object when the pod
 * has ended and its deletion was requested.
 */
export class StatusWriter {
  readonly #deps: StatusWriterDeps;
  readonly #entries = new Map<string, Entry>();
  #signal: AbortSignal | undefined;

  constructor(deps: StatusWriterDeps) {
    this.#deps = deps;
  }

  /** Returns the last status of the pod. */
  find(uid: string): PodStatus | undefined {
    return this.#entries.get(uid)?.status;
  }

  set(pod: BoundPod, status: PodStatus): void {
    const { uid } = pod.metadata;
    const entry = this.#entries.get(uid);
    if (!entry) {
      const fresh = {
        version: 1,
        writtenVersion: 0,
        release: false,
        isWriting: false,
        failures: 0,
        answeredVersion: 0,
        kept: undefined,
      };
      this.#entries.set(uid, { ...fresh, pod, status, timer: undefined, answered: undefined });
    } else {
      entry.pod = pod;
      if (isNoNews(pod, entry.status, status)) return this.#settle(uid);
      entry.status = status;
      entry.kept = undefined;
      entry.version++;
    }
    this.#settle(uid);
  }

  /**
   * Called when all containers of the pod have stopped and its deletion was requested: writes its
   * last status, then deletes the object.
   */
  release(pod: BoundPod): void {
    const { namespace, name } = pod.metadata;
    assert(isDeleting(pod), `pod ${namespace}/${name} was being deleted before its object is removed`);
    const entry = this.#entries.get(pod.metadata.uid);
    if (!entry) return;
    entry.pod = pod;
    entry.release = true;
    this.#settle(pod.metadata.uid);
  }

  /**
   * Called when the pod, or its mirror, changed in the API. If another client replaced the
   * kubelet's status, it is written again.
   */
  noticeStored(uid: string, pod: Pod): void {
    const entry = this.#entries.get(uid);
    if (!entry || entry.isWriting) return;
    // A status that waited for the creation of the mirror can be written now.
    if (entry.version !== entry.writtenVersion) return isMirrorPod(pod) ? this.#settle(uid) : undefined;
    if (versionOf(pod) < entry.answeredVersion) return;
    entry.answered = undefined;
    if (!isMirrorPod(pod)) entry.pod = boundPod(pod);
    if (sameStatus(pod.status ?? {}, mergeStatus(pod.status ?? {}, entry.kept ?? entry.status))) return;
    entry.version++;
    this.#settle(uid);
  }

  forget(uid: string): void {
    this.#entries.get(uid)?.timer?.cancel();
    this.#entries.delete(uid);
  }

  /** Writes statuses as they are set until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const uid of this.#entries.keys()) this.#settle(uid);
    // Statuses that could not be written while the server was down are written when it is reachable
    // again.
    const stopListening = this.#deps.client.onReturn(() => this.#retryAll());
    await untilAborted(signal);
    stopListening();
    for (const entry of this.#entries.values()) entry.timer?.cancel();
  }

  #settle(uid: string): void {
    const entry = this.#entries.get(uid);
    const signal = this.#signal;
    if (!entry || !signal || signal.aborted || entry.isWriting) return;
    assert(entry.writtenVersion <= entry.version, `the status of ${uid} was reported before it was written`);
    if (entry.version === entry.writtenVersion && !entry.release) return;
    // The API has no object to write to until there is a mirror.
    if (isStaticPod(entry.pod) && !this.#deps.findPod(uid)) return;
    entry.timer?.cancel();
    entry.timer = undefined;
    entry.isWriting = true;
    void this.#write(uid, entry, signal).finally(() => {
      entry.isWriting = false;
      if (this.#entries.get(uid) !== entry || signal.aborted) return;
      if (entry.failures > 0) return this.#retryLater(uid, entry);
      // Another client may have written after this write, and its event may have arrived before
      // this answer.
      const stored = this.#deps.findPod(uid);
      if (stored) this.noticeStored(uid, stored);
      this.#settle(uid);
    });
  }

  #retryLater(uid: string, entry: Entry): void {
    const delayMs = Math.min(retryMaxMs, retryInitialMs * 2 ** (entry.failures - 1));
    entry.timer = this.#deps.clock.after(delayMs, () => this.#settle(uid));
  }

  #retryAll(): void {
    for (const [uid, { failures }] of this.#entries) if (failures > 0) this.#settle(uid);
  }

  async #write(uid: string, entry: Entry, signal: AbortSignal): Promise<void> {
    const { version, release } = entry;
    try {
      const stillThere = await this.#writeStatus(uid, entry, signal);
      entry.failures = 0;
      entry.writtenVersion = version;
      if (!stillThere) return this.forget(uid);
      if (release && entry.version === version) await this.#deleteObject(uid, entry, signal);
    } catch (error) {
      if (signal.aborted) return;
      entry.failures++;
      const { namespace, name } = entry.pod.metadata;
      this.#deps.log.warn("pod status not written", { pod: `${namespace}/${name}`, failures: entry.failures, error });
    }
  }

  /** Resolves with whether this pod still exists. */
  async #writeStatus(uid: string, entry: Entry, signal: AbortSignal): Promise<boolean> {
    const key = { namespace: entry.pod.metadata.namespace, name: entry.pod.metadata.name };
    const { version } = entry;
    const copy = this.#deps.findPod(uid);
    // The object of the pod was deleted while its containers still stop, so changes can no longer
    // be written.
    if (copy === undefined && !isStaticPod(entry.pod)) return false;
    let stored: Pod | undefined = newer(copy ?? entry.pod, entry.answered);
    for (let conflicts = 0; ; conflicts++) {
      if (!stored || !shows(stored, entry.pod)) return isStaticPod(entry.pod);
      const status = mergeStatus(stored.status ?? {}, entry.status);
      if (sameStatus(stored.status ?? {}, status)) return true;
      try {
        const metadata = withHistory(stored, status, this.#deps.killedBecause);
        const next = { ...stored, metadata, status };
        assert(shows(next, entry.pod), `the status of ${uid} is written only to that pod`);
        const answer = await this.#deps.client.update(pods, next, { subresource: "status", signal });
        hearAnswer(entry, answer);
        if (entry.version === version) entry.kept = keptOf(status, answer.status ?? {});
        return true;
      } catch (error) {
        if (isApiError(error, "NotFound")) {
          entry.answered = undefined;
          entry.answeredVersion = 0;
          return isStaticPod(entry.pod);
        }
        if (!isApiError(error, "Conflict") || conflicts === conflictsMax) throw error;
        stored = await this.#deps.client.find(pods, key, { signal });
        if (stored && shows(stored, entry.pod) && versionOf(stored) >= entry.answeredVersion) hearAnswer(entry, stored);
      }
    }
  }

  async #deleteObject(uid: string, entry: Entry, signal: AbortSignal): Promise<void> {
    const key = { namespace: entry.pod.metadata.namespace, name: entry.pod.metadata.name };
    assert(entry.release, `the object of ${uid} is deleted only once everything of the pod has stopped`);
    try {
      await this.#deps.client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
    } catch (error) {
      // The object was deleted, or another pod has the name. In both cases this pod no longer
      // exists.
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
    this.forget(uid);
  }
}

/**
 * Reports whether a status need not be written. A deletion is a new generation, and the end of the
 * pod's containers is written soon after it, so the generation alone does not cause a write.
 */
function isNoNews(pod: BoundPod, before: PodStatus, next: PodStatus): boolean {
  if (!isDeleting(pod)) return sameStatus(before, next);
  return sameStatus(withoutGenerations(before), withoutGenerations(next));
}

function withoutGenerations(status: PodStatus): PodStatus {
  const { observedGeneration: _, ...rest } = status;
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, observedGeneration: undefined }));
  return { ...rest, conditions };
}

/**
 * Reports whether the status of `pod` belongs to this object, because another pod may have its
 * name.
 */
function shows(stored: Pod, pod: BoundPod): boolean {
  return isStaticPod(pod) ? isMirrorOf(stored, pod) : stored.metadata.uid === pod.metadata.uid;
}

function withHistory(
  { metadata }: Pod,
  status: PodStatus,
  killedBecause: StatusWriterDeps["killedBecause"],
): Pod["metadata"] {
  const before = metadata.annotations?.[terminationsAnnotation];
  const after = withTerminations(before, status, killedBecause);
  if (after === undefined || after === before) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [terminationsAnnotation]: after } };
}

function hearAnswer(entry: Entry, answer: Pod): void {
  entry.answered = answer;
  entry.answeredVersion = versionOf(answer);
}

/** Returns the stored status if it lacks a part of the written status, and otherwise undefined. */
function keptOf(written: PodStatus, stored: PodStatus): PodStatus | undefined {
  return sameStatus(stored, mergeStatus(stored, written)) ? undefined : stored;
}

function newer(a: Pod, b: Pod | undefined): Pod {
  return b && versionOf(a) < versionOf(b) ? b : a;
}

function versionOf({ metadata }: Pod): number {
  return Number(metadata.resourceVersion ?? 0);
}
