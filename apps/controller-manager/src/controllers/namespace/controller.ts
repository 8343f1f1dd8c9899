import { eventsV1, isApiError, type Namespace, namespaces, type Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, done, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { deleteContent } from "./content.ts";
import { type ContentReport, kubernetesFinalizer, planConditions, planNamespace } from "./plan.ts";

/** Empties namespaces that are being deleted, then lets them go. */
export class NamespaceController implements Controller {
  readonly name = "namespace";
  readonly #context: ControllerContext;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    this.#context = context;
    const { informers, options } = context;
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (name, signal) => this.#reconcile(name, signal) },
        allKeys: () => informers.namespaces.list().map((namespace) => namespace.metadata.name ?? ""),
      },
      // A namespace with many objects takes its time, in many short calls.
      { name: "namespace", workers: options.concurrentNamespaceSyncs, reconcileTimeLimitMs: 600_000 },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      informers.namespaces.onChange((change) => this.#onNamespace(change)),
      informers.pods.onChange((change) => this.#onPod(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  #onNamespace({ type, object }: InformerChange<Namespace>): void {
    if (type !== "deleted" && object.metadata.deletionTimestamp !== undefined) {
      this.#queue.enqueue(object.metadata.name ?? "");
    }
  }

  /** The last pod of a namespace is what most deletions wait for. */
  #onPod({ type, object }: InformerChange<Pod>): void {
    if (type !== "deleted") return;
    const name = object.metadata.namespace ?? "";
    const namespace = this.#context.informers.namespaces.find({ namespace: "", name });
    if (namespace?.metadata.deletionTimestamp !== undefined) this.#queue.enqueue(name);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, log, served } = this.#context;
    const namespace = await client.find(namespaces, { namespace: "", name }, { signal });
    if (namespace?.metadata.deletionTimestamp === undefined) return done;
    if (!(namespace.spec?.finalizers ?? []).includes(kubernetesFinalizer)) return done;
    // Events are the same objects in both of their groups.
    const types = served.filter((type) => type.namespaced && type !== eventsV1);
    const report = await deleteContent({ client, log, types }, name, signal);
    const current = await this.#writeStatus(namespace, report);
    const plan = planNamespace(report);
    if (plan.type === "wait") return { retryAfterMs: plan.retryAfterMs };
    await this.#finalize(current);
    log.info("namespace emptied", { namespace: name });
    return done;
  }

  async #writeStatus(namespace: Namespace, report: ContentReport): Promise<Namespace> {
    const conditions = planConditions(namespace, report, this.#context.clock.nowMs());
    const { status } = namespace;
    if (conditions === status?.conditions && status.phase === "Terminating") return namespace;
    const next: Namespace = { ...namespace, status: { ...status, phase: "Terminating", conditions } };
    return this.#context.client.update(namespaces, next, { subresource: "status" });
  }

  async #finalize(namespace: Namespace): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== kubernetesFinalizer);
    const next: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } };
    try {
      await this.#context.client.update(namespaces, next, { subresource: "finalize" });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }
}
