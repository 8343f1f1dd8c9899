import { isApiError, isDisruptedBy, parseKey, type Pod, pods, withDisruptionTarget } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { planDeviceEviction, taintedForMs } from "@kintsugi/rules";
import type { ControllerContext } from "../../context.ts";
import { TroubleStarts } from "../../shared/trouble-starts.ts";
import { podDeletion } from "../../shared/writes/pod-deletion.ts";
import { type PodTaint, taintsOf } from "./allocated-taints.ts";

const disruption = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
} as const;

// A pod on a node, with a device that has NoExecute taints (upstream's devicetainteviction):
//
//   stays            every taint is tolerated forever
//   is scheduled     the shortest toleration ends later; cancelled if the taint is removed earlier
//   is due           condition DisruptionTarget, then DELETE with the pod's UID
//
// A taint is its driver's report of a broken device, so disruption budgets never delay this
// eviction, as in upstream's devicetainteviction. The memory contains the start times of taints and
// the events; a restart repeats both steps.

/** Decides about one pod. */
export class DeviceTaintEvictionReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #onEvicted: (lateMs: number) => void;
  readonly #starts = new TroubleStarts();
  /** UIDs of pods whose eviction has no event yet, but needs one if it is cancelled. */
  readonly #scheduled = new Set<string>();

  /**
   * @param deps `onEvicted` is called when a pod has been deleted, with the delay since it was due.
   */
  constructor(deps: { context: ControllerContext; onEvicted: (lateMs: number) => void }) {
    this.#context = deps.context;
    this.#onEvicted = deps.onEvicted;
  }

  /** Removes the records of a pod that no longer exists or is being deleted. */
  forget({ metadata }: Pod): void {
    this.#starts.forget(metadata.uid ?? "");
    this.#scheduled.delete(metadata.uid ?? "");
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { informers, clock } = this.#context;
    const pod = informers.of(pods).find(parseKey(key));
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || !pod.spec?.nodeName) return done;
    const taints = taintsOf(pod, informers);
    const { uid = "" } = pod.metadata;
    const eviction = planDeviceEviction(taints, this.#observe(uid, taints));
    if (eviction === undefined) {
      if (this.#scheduled.delete(uid)) this.#tell(pod, `Cancelling deletion of Pod ${key}`);
      return done;
    }
    this.#scheduled.add(uid);
    const leftMs = eviction.atMs - clock.monotonicMs();
    if (leftMs > 0) return { retryAfterMs: leftMs };
    await this.#evict(pod, Number.isFinite(leftMs) ? -leftMs : 0);
    return done;
  }

  #observe(uid: string, taints: readonly PodTaint[]): (taint: PodTaint) => number {
    const { clock } = this.#context;
    const troubles = new Map(
      taints.map((each) => [troubleOf(each), () => clock.monotonicMs() - taintedForMs(each.taint, clock.nowMs())]),
    );
    const starts = this.#starts.observe(uid, troubles);
    return (each) => starts.get(troubleOf(each)) ?? clock.monotonicMs();
  }

  async #evict(pod: Pod, lateMs: number): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    try {
      const current = await client.find(pods, { namespace, name });
      if (current?.metadata.uid !== uid || current.metadata.deletionTimestamp !== undefined) return;
      this.#tell(current, `Marking for deletion Pod ${namespace}/${name}`);
      if (!isDisruptedBy(current.status?.conditions, disruption.reason)) {
        const conditions = withDisruptionTarget(current, disruption, clock.nowMs());
        const marked = { ...current, status: { ...current.status, conditions } };
        await client.update(pods, marked, { subresource: "status" });
      }
      await client.delete(pods, { namespace, name }, podDeletion(current));
    } catch (error) {
      if (isApiError(error, "NotFound")) return;
      throw error;
    }
    this.#scheduled.delete(uid);
    this.#onEvicted(lateMs);
  }

  #tell(pod: Pod, message: string): void {
    const about = referenceTo(pods, pod);
    this.#context.recordEvent({ about, type: "Normal", reason: "DeviceTaintManagerEviction", message });
  }
}

/** A taint that was removed and added again is a new taint. */
function troubleOf({ device, taint }: PodTaint): string {
  return [device, taint.key, taint.value ?? "", taint.timeAdded ?? ""].join(" ");
}
