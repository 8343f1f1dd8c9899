import { avoidedNodes, controllerOf, formatKey, type Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { isReplacementNeeded } from "../../shared/replacement-needed.ts";
import { EscalationReconciler } from "./reconciler.ts";

/** Owners whose pods are being replaced at the same time: each is a list and a deletion now and then. */
const workers = 2;

/** Ours: deletes pods that no restart on their node has helped (`kintsugi.dev/escalation`), so that their owner makes others. */
export class EscalationController implements Controller {
  readonly name = "escalation";
  readonly #context: ControllerContext;
  readonly #reconciler: EscalationReconciler;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    this.#context = context;
    const { informers, metrics } = context;
    const replacements = metrics.counter({
      name: "kintsugi_escalation_pod_replacements_total",
      help: "Number of pods deleted because no restart on their node has helped them.",
    });
    this.#reconciler = new EscalationReconciler({
      context,
      recordEvent: context.eventsAs("escalation-controller"),
      onReplaced: () => replacements.add(1),
    });
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: this.#reconciler,
        allKeys: () => informers.pods.list().flatMap((pod) => (isReplacementNeeded(pod) ? ownerKeys(pod) : [])),
      },
      { name: "escalation", workers },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#context.informers.pods.onChange((change) => this.#onPod(change));
    await whileListening([stop], this.#queue.run(signal));
  }

  #onPod({ type, object: pod }: InformerChange<Pod>): void {
    if (type === "deleted" || pod.metadata.deletionTimestamp !== undefined) this.#reconciler.forget(pod);
    for (const key of ownerKeys(pod)) {
      const matters = isReplacementNeeded(pod) || avoidedNodes(pod).length > 0 || this.#reconciler.isWaiting(key);
      if (matters) this.#queue.enqueue(key);
    }
  }
}

/** `<namespace>/<uid of the owner>`; none for whom a deletion would not bring to another node. */
function ownerKeys(pod: Pod): string[] {
  const owner = controllerOf(pod);
  if (!owner || owner.kind === "DaemonSet" || owner.kind === "Node") return [];
  return [formatKey({ namespace: pod.metadata.namespace ?? "", name: owner.uid })];
}
