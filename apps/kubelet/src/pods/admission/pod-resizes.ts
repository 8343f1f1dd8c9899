import { join } from "node:path";
import type { WakeUps } from "../../base/wake-ups.ts";
import type { Files } from "../../machine/files/files.ts";
import {
  allocatedPod,
  isAsAsked,
  isResizing,
  nothingResized,
  type ResizeRecord,
  type Resources,
  resourcesByName,
} from "../../model/allocation.ts";
import { type BoundPod, isStaticPod } from "../../model/bound-pod.ts";
import { type NodeContext, podDirectory } from "../../model/node-context.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { ConditionVerdict } from "../../model/verdicts.ts";

/** A record has two small objects per container; this many bytes are thousands of containers. */
const recordBytesMax = 1024 * 1024;

/** The reason why a node cannot grant the desired resources; a `Deferred` one may end by itself. */
export interface ResizeRefusal {
  reason: "Deferred" | "Infeasible";
  message: string;
}

export interface PodResizesDeps {
  files: Files;
  events: PodEvents;
  /** Explains why the node cannot grant the pod's desired resources now. */
  refuse(pod: BoundPod): ResizeRefusal | undefined;
  /** The node may have room now for a deferred resize. */
  wakeUps: Pick<WakeUps, "wake">;
}

interface Known {
  record: ResizeRecord;
  refusal: ResizeRefusal | undefined;
  /** The reason why the runtime could not give a container its granted resources. */
  error: string | undefined;
  isResizing: boolean;
}

/**
 * Keeps each pod's granted resources, and how far its containers have them. A grant is written to
 * the pod's directory before it is acted upon, so that a restart of the kubelet neither loses it
 * nor takes a request for a grant.
 */
export class PodResizes {
  readonly #deps: PodResizesDeps;
  readonly #node: NodeContext;
  /** The state by uid, of pods that are being run. */
  readonly #known = new Map<string, Known>();

  constructor(deps: PodResizesDeps, node: NodeContext) {
    this.#deps = deps;
    this.#node = node;
  }

  /** Grants the desired resources, if the node has them. Resolves with the pod as it is granted. */
  async settle(pod: BoundPod, observed: ObservedPod): Promise<BoundPod> {
    const known = this.#load(pod.metadata.uid);
    const granted = await this.#grant(pod, observed, known);
    this.#noteProgress(granted, observed, known);
    return granted;
  }

  /** Returns the pod as it was granted last, without later requests. */
  granted(pod: BoundPod, observed: ObservedPod): BoundPod {
    return allocatedPod(pod, observed, this.#load(pod.metadata.uid).record);
  }

  record(uid: string): ResizeRecord {
    return this.#known.get(uid)?.record ?? nothingResized;
  }

  /** A container has been given its granted resources, in place. */
  async actuated(observed: ObservedPod, containerId: string, resources: Resources): Promise<void> {
    const known = this.#load(observed.uid);
    known.error = undefined;
    const ofLiving = Object.entries(known.record.actuated).filter(([id]) =>
      observed.containers.some((each) => each.id === id),
    );
    const actuated = { ...Object.fromEntries(ofLiving), [containerId]: resources };
    await this.#save(observed.uid, { ...known.record, actuated });
  }

  failed(pod: BoundPod, because: string): void {
    const known = this.#known.get(pod.metadata.uid);
    if (!known) return;
    if (known.error !== because) this.#deps.events.warning(pod, "ResizeError", `Pod resize error: ${because}`);
    known.error = because;
  }

  conditions(granted: BoundPod, observed: ObservedPod): ConditionVerdict[] {
    const known = this.#known.get(granted.metadata.uid);
    if (!known) return [];
    const pending: ConditionVerdict[] = known.refusal
      ? [{ type: "PodResizePending", status: "True", ...known.refusal }]
      : [];
    if (!isResizing(granted, observed, known.record)) return pending;
    const error = known.error === undefined ? {} : { reason: "Error", message: known.error };
    return [...pending, { type: "PodResizeInProgress", status: "True", ...error }];
  }

  /** A pod has ended: deferred resizes are tried again. */
  roomMade(): void {
    for (const [uid, { refusal }] of this.#known) if (refusal?.reason === "Deferred") this.#deps.wakeUps.wake(uid);
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }

  async #grant(pod: BoundPod, observed: ObservedPod, known: Known): Promise<BoundPod> {
    const { events } = this.#deps;
    const granted = allocatedPod(pod, observed, known.record);
    const asAsked = isAsAsked(granted, pod);
    const refusal = asAsked ? undefined : this.#refuse(pod);
    if (refusal && known.refusal?.message !== refusal.message)
      events.warning(pod, `Resize${refusal.reason}`, `Pod resize ${refusal.reason}: ${refusal.message}`);
    known.refusal = refusal;
    if (asAsked || refusal) return granted;
    const allocated = resourcesByName(pod);
    await this.#save(pod.metadata.uid, { ...known.record, allocated });
    events.normal(pod, "ResizeStarted", `Pod resize started: ${JSON.stringify(allocated)}`);
    return allocatedPod(pod, observed, known.record);
  }

  #refuse(pod: BoundPod): ResizeRefusal | undefined {
    if (isStaticPod(pod)) return { reason: "Infeasible", message: "In-place resize of static-pods is not supported" };
    return this.#deps.refuse(pod);
  }

  #noteProgress(granted: BoundPod, observed: ObservedPod, known: Known): void {
    const was = known.isResizing;
    known.isResizing = isResizing(granted, observed, known.record);
    if (was && !known.isResizing) {
      const text = JSON.stringify(resourcesByName(granted));
      this.#deps.events.normal(granted, "ResizeCompleted", `Pod resize completed: ${text}`);
    }
  }

  #load(uid: string): Known {
    const known = this.#known.get(uid);
    if (known) return known;
    const bytes = this.#deps.files.readTail(this.#path(uid), recordBytesMax);
    const loaded: Known = { record: parse(bytes), refusal: undefined, error: undefined, isResizing: false };
    this.#known.set(uid, loaded);
    return loaded;
  }

  async #save(uid: string, record: ResizeRecord): Promise<void> {
    const [path, next] = [this.#path(uid), `${this.#path(uid)}.next`];
    await this.#deps.files.write(next, JSON.stringify(record), 0o600);
    await this.#deps.files.rename(next, path);
    this.#load(uid).record = record;
  }

  #path(uid: string): string {
    return join(podDirectory(this.#node, uid), "resize.json");
  }
}

/**
 * A record that a loss of power spoilt counts as none: the containers themselves carry the
 * resources that they were made with.
 */
function parse(bytes: Uint8Array | undefined): ResizeRecord {
  try {
    return bytes === undefined ? nothingResized : (JSON.parse(Buffer.from(bytes).toString("utf8")) as ResizeRecord);
  } catch {
    return nothingResized;
  }
}
