import { noExecuteTaints, type Node, type Pod, sameJson } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { podKey } from "../node-lifecycle/pods-not-ready.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { TaintEvictionReconciler } from "./reconciler.ts";

/** Upstream's UpdateWorkerSize. */
const workers = 8;

/** Makes pods leave nodes with NoExecute taints that they do not, or no longer, tolerate. */
export class TaintEviction implements Controller {
  readonly name = "taint-eviction";
  readonly #context: ControllerContext;
  readonly #reconciler: TaintEvictionReconciler;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    this.#context = context;
    const { informers, metrics } = context;
    const deletions = metrics.counter({
      name: "taint_eviction_controller_pod_deletions_total",
      help: "Total number of Pods deleted by TaintEvictionController since its start.",
    });
    const delay = metrics.histogram({
      name: "taint_eviction_controller_pod_deletion_duration_seconds",
      help: "Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController.",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    });
    this.#reconciler = new TaintEvictionReconciler({
      context,
      recordEvent: context.eventsAs("taint-eviction-controller"),
      onEvicted: (lateMs) => {
        deletions.add(1);
        delay.observe(lateMs / 1000);
      },
    });
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: this.#reconciler,
        allKeys: () => informers.pods.list().map((pod) => podKey(pod)),
      },
      { name: "taint_eviction", workers },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      informers.nodes.onChange((change) => this.#onNode(change)),
      informers.pods.onChange((change) => this.#onPod(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  #onNode(change: InformerChange<Node>): void {
    const taints = noExecuteTaints(change.object.spec?.taints);
    const before = change.type === "modified" ? noExecuteTaints(change.before.spec?.taints) : [];
    if (change.type !== "deleted" && sameJson(taints, before)) return;
    for (const pod of this.#context.informers.pods.byIndex("node", change.object.metadata.name ?? "")) {
      this.#queue.enqueue(podKey(pod));
    }
  }

  #onPod(change: InformerChange<Pod>): void {
    const pod = change.object;
    const isGoing = change.type === "deleted" || pod.metadata.deletionTimestamp !== undefined;
    if (isGoing) this.#reconciler.forget(pod);
    else if (pod.spec?.nodeName && this.#matters(change)) this.#queue.enqueue(podKey(pod));
  }

  /** Only where a pod is and what it tolerates decides; what its kubelet reports does not. */
  #matters(change: InformerChange<Pod>): boolean {
    if (change.type !== "modified") return true;
    const { before, object } = change;
    if (before.spec?.nodeName !== object.spec?.nodeName || before.metadata.uid !== object.metadata.uid) return true;
    return !sameJson(before.spec?.tolerations, object.spec?.tolerations);
  }
}
