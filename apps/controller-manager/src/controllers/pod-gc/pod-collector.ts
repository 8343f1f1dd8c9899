import {
  type Counter,
  formatKey,
  isApiError,
  isPodTerminal,
  nodes,
  type Pod,
  pods,
  type PodStatus,
  observedGeneration,
  withDisruptionTarget,
} from "@kintsugi/api";
import type { ControllerContext } from "../../context.ts";
import { inParallel } from "../../shared/writes/in-parallel.ts";
import type { podGcOptions } from "./options.ts";
import { givenUpReason } from "../../shared/given-up-pods.ts";
import { type Collection, missingNodes, planPodGc } from "./plan.ts";

/** Concurrent deletions; a node full of pods is deleted within a few rounds. */
const collectionsInFlightMax = 16;

/** Collects once all pods that kubelets and other controllers never remove. */
export class PodCollector {
  readonly #context: ControllerContext<typeof podGcOptions>;
  readonly #collected: Counter;
  readonly #failed: Counter;
  /** The time, on the monotonic clock, at which each node was first missing. */
  readonly #missedSince = new Map<string, number>();

  constructor(context: ControllerContext<typeof podGcOptions>) {
    this.#context = context;
    const labels = ["namespace", "reason"];
    this.#collected = context.metrics.counter({
      name: "pod_gc_collector_force_delete_pods_total",
      help: "Number of pods that are being forcefully deleted since the Pod GC Controller started.",
      labels,
    });
    this.#failed = context.metrics.counter({
      name: "pod_gc_collector_force_delete_pod_errors_total",
      help: "Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.",
      labels,
    });
  }

  async collect(signal: AbortSignal): Promise<void> {
    const { informers, log, options } = this.#context;
    const allPods = informers.of(pods).list();
    const byName = new Map(
      informers
        .of(nodes)
        .list()
        .map((node) => [node.metadata.name ?? "", node]),
    );
    const goneNodes = await this.#findGoneNodes(missingNodes(allPods, byName), signal);
    const collections = planPodGc({
      pods: allPods,
      nodes: byName,
      goneNodes,
      terminatedPodThreshold: options.terminatedPodGcThreshold,
    });
    await inParallel(collections, collectionsInFlightMax, async (collection) => {
      if (signal.aborted) return;
      const { namespace = "", name = "" } = collection.pod.metadata;
      const labels = { namespace, reason: collection.reason };
      try {
        await this.#remove(collection);
        this.#collected.add(1, labels);
        log.info("pod collected", { pod: `${namespace}/${name}`, reason: collection.reason });
      } catch (error) {
        this.#failed.add(1, labels);
        log.error("pod could not be collected", { pod: `${namespace}/${name}`, reason: collection.reason, error });
      }
    });
  }

  /** Looks up a node that was missing for the whole quarantine on the server itself. */
  async #findGoneNodes(missing: ReadonlySet<string>, signal: AbortSignal): Promise<Set<string>> {
    const { client, clock, options } = this.#context;
    const nowMs = clock.monotonicMs();
    for (const name of this.#missedSince.keys()) if (!missing.has(name)) this.#missedSince.delete(name);
    const gone = new Set<string>();
    for (const name of missing) {
      const sinceMs = this.#missedSince.get(name) ?? nowMs;
      this.#missedSince.set(name, sinceMs);
      if (nowMs - sinceMs < options.podGcQuarantineMs) continue;
      if (!(await client.find(nodes, { namespace: "", name }, { signal }))) gone.add(name);
    }
    return gone;
  }

  async #remove({ pod, reason }: Collection): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const { client } = this.#context;
    try {
      const failed = this.#asFailed(pod, reason);
      if (failed) await client.update(pods, failed, { subresource: "status" });
      await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw new Error(`pod ${formatKey({ namespace, name })}`, { cause: error });
    }
  }

  /** The last state of the pod before its deletion; undefined if the pod has ended by itself. */
  #asFailed(pod: Pod, reason: Collection["reason"]): Pod | undefined {
    if (isPodTerminal(pod)) return undefined;
    const status: PodStatus = { ...pod.status, phase: "Failed", ...observedGeneration(pod) };
    if (reason === "orphaned") {
      const disruption = { reason: givenUpReason, message: "PodGC: node no longer exists" };
      status.conditions = withDisruptionTarget(pod, disruption, this.#context.clock.nowMs());
    }
    return { ...pod, status };
  }
}
