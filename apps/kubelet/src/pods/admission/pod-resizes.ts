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

/**
 * Limit of a record, which has two small objects per container. The limit suffices for thousands of
 * containers.
 */
const recordBytesMax = 1024 * 1024;

/**
 * The reason why a node cannot grant the desired resources. A `Deferred` resize may become
 * possible.
 */
export interface ResizeRefusal {
  reason: "Deferred" | "Infeasible";
  message: string;
}

export interface PodResizesDeps {
  files: Files;
  events: PodEvents;
  /** Returns the reason why the node cannot currently grant the pod's desired resources. */
  refuse(pod: BoundPod): ResizeRefusal | undefined;
  /** Called when the node may have resources for a deferred resize. */
  wakeUps: Pick<WakeUps, "wake">;
}

interface Known {
  record: ResizeRecord;
  refusal: ResizeRefusal | undefined;
  /** The reason why the runtime could not apply a container's allocated resources. */
  error: string | undefined;
  isResizing: boolean;
}

/**
 * Stores each pod's allocated resources, and which containers already have them. An allocation is
 * written to the pod's directory before it is applied, so that a restart of the kubelet neither
 * loses it nor confuses a request with an allocation.
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

  /**
   * Grants the desired resources, if the node has them. Resolves with the pod with its allocated
   * resources.
   */
  async settle(pod: BoundPod, observed: ObservedPod): Promise<BoundPod> {
    const known = this.#load(pod.metadata.uid);
    const granted = await this.#grant(pod, observed, known);
    this.#noteProgress(granted, observed, known);
    return granted;
  }

  /** Returns the pod with its last allocated resources, without later requests. */
  granted(pod: BoundPod, observed: ObservedPod): BoundPod {
    return allocatedPod(pod, observed, this.#load(pod.metadata.uid).record);
  }

  record(uid: string): ResizeRecord {
    return this.#known.get(uid)?.record ?? nothingResized;
  }

  /** Records that a container's allocated resources were applied in place. */
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

  /** Retries deferred resizes after a pod has ended. */
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
 * A record that a power loss corrupted counts as missing, because the containers themselves store
 * the resources with which they were created.
 */
function parse(bytes: Uint8Array | undefined): ResizeRecord {
  try {
    return bytes === undefined ? nothingResized : (JSON.parse(Buffer.from(bytes).toString("utf8")) as ResizeRecord);
  } catch {
    return nothingResized;
  }
}
