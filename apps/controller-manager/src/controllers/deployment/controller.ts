import {
  controllerOf,
  type Deployment,
  deployments,
  formatKey,
  keyOf,
  type Pod,
  type ReplicaSet,
  replicaSets,
} from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";
import { type Controller, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { findAdopters, findController } from "../../shared/owners/find-controller.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { WrittenObjects } from "../../shared/writes/written-objects.ts";
import { DeploymentReconciler } from "./reconciler.ts";

/** Rolls out what the pods of each Deployment run, through ReplicaSets. */
export class DeploymentController implements Controller {
  readonly name = "deployment";
  readonly #context: ControllerContext;
  readonly #deployments: Informer<Deployment>;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    const { informers, options } = context;
    this.#context = context;
    this.#deployments = informers.of(deployments);
    const recordEvent = context.eventsAs("deployment-controller");
    const written = new WrittenObjects(informers.replicaSets);
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: new DeploymentReconciler({ context, deployments: this.#deployments, written, recordEvent }),
        allKeys: () => this.#deployments.list().map(deploymentKey),
      },
      { name: "deployment", workers: options.concurrentDeploymentSyncs },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      this.#deployments.onChange(({ object }) => this.#queue.enqueue(deploymentKey(object))),
      informers.replicaSets.onChange((change) => this.#onSet(change)),
      informers.pods.onChange((change) => this.#onPod(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  #onSet(change: InformerChange<ReplicaSet>): void {
    const set = change.object;
    this.#enqueueOwner(set);
    if (change.type === "modified" && controllerOf(change.before)?.uid !== controllerOf(set)?.uid)
      this.#enqueueOwner(change.before);
    if (change.type === "deleted" || controllerOf(set)) return;
    for (const deployment of findAdopters(set, this.#deployments)) this.#queue.enqueue(deploymentKey(deployment));
  }

  /** A Deployment that recreates its pods waits until the last old one has ended. */
  #onPod({ object: pod }: InformerChange<Pod>): void {
    const set = findController(pod, replicaSets, this.#context.informers.replicaSets);
    const deployment = set && this.#ownerOf(set);
    if (deployment?.spec?.strategy?.type === "Recreate") this.#queue.enqueue(deploymentKey(deployment));
  }

  #enqueueOwner(set: ReplicaSet): void {
    const deployment = this.#ownerOf(set);
    if (deployment !== undefined) this.#queue.enqueue(deploymentKey(deployment));
  }

  #ownerOf(set: ReplicaSet): Deployment | undefined {
    return findController(set, deployments, this.#deployments);
  }
}

function deploymentKey(deployment: Deployment): string {
  return formatKey(keyOf(deployment));
}
