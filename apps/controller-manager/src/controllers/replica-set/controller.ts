import { controllerOf, type Pod, type ReplicaSet, replicaSets } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, Expectations, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { findAdopters, findController } from "../../shared/owners/find-controller.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { ReplicaSetReconciler, setKey } from "./reconciler.ts";
import { endsUnstarted, ReplacementPace } from "./replacement-pace.ts";
import { ReplicaWriter } from "./replica-writer.ts";

/** Keeps the number of each ReplicaSet's pods. */
export class ReplicaSetController implements Controller {
  readonly name = "replicaset";
  readonly #context: ControllerContext;
  readonly #expectations: Expectations;
  readonly #pace: ReplacementPace;
  readonly #reconciler: ReplicaSetReconciler;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    this.#context = context;
    const { client, clock, informers, log, random, options } = context;
    this.#expectations = new Expectations({ clock });
    this.#pace = new ReplacementPace({ clock });
    const expectations = this.#expectations;
    const recordEvent = context.eventsAs("replicaset-controller");
    const writer = new ReplicaWriter({ client, random, log, recordEvent, expectations });
    this.#reconciler = new ReplicaSetReconciler({ context, expectations, pace: this.#pace, writer });
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: this.#reconciler,
        allKeys: () => informers.replicaSets.list().map(setKey),
      },
      { name: "replicaset", workers: options.concurrentReplicaSetSyncs },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      informers.replicaSets.onChange((change) => this.#onSet(change)),
      informers.pods.onChange((change) => this.#onPod(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  #onSet(change: InformerChange<ReplicaSet>): void {
    const isAnother =
      change.type === "deleted" || (change.type === "modified" && !sameUid(change.before, change.object));
    if (isAnother) this.#expectations.reset(setKey(change.object));
    this.#queue.enqueue(setKey(change.object));
  }

  #onPod(change: InformerChange<Pod>): void {
    const pod = change.object;
    const owner = this.#setOf(pod);
    if (change.type === "modified") this.#onOwnerChange(change.before, pod);
    if (!owner) {
      if (change.type === "deleted" || controllerOf(pod)) return;
      for (const set of findAdopters(pod, this.#context.informers.replicaSets)) this.#queue.enqueue(setKey(set));
      return;
    }
    if (change.type === "deleted") this.#reconciler.noteLost(setKey(owner), pod);
    const isGoing = change.type === "deleted" || pod.metadata.deletionTimestamp !== undefined;
    const isUnmade = isGoing && this.#expectations.deletionObserved(setKey(owner), pod.metadata.uid ?? "");
    if (!isUnmade && endsUnstarted(change)) this.#pace.noteUnstarted(setKey(owner));
    // A pod that has come and gone before it was seen was created all the same.
    this.#expectations.creationObserved(setKey(owner), pod.metadata.name ?? "");
    this.#queue.enqueue(setKey(owner));
  }

  #onOwnerChange(before: Pod, pod: Pod): void {
    if (controllerOf(before)?.uid === controllerOf(pod)?.uid) return;
    const previous = this.#setOf(before);
    if (previous) this.#queue.enqueue(setKey(previous));
  }

  #setOf(pod: Pod): ReplicaSet | undefined {
    return findController(pod, replicaSets, this.#context.informers.replicaSets);
  }
}

function sameUid(a: ReplicaSet, b: ReplicaSet): boolean {
  return a.metadata.uid === b.metadata.uid;
}
