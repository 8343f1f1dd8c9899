import { type Gauge, isApiError, leases, type Lease, type Node, type Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type Controller, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { RecordEvent } from "../../shared/events/event-note.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { ApiContact } from "./api-contact.ts";
import { ClusterDisruption } from "./cluster-disruption.ts";
import { EvictionLimiter } from "./eviction-limiter.ts";
import { NodeHealthMap } from "./node-health.ts";
import { isNodeReady, type LeaseReading, nodeEvent, nodeLeaseNamespace, NodeReconciler } from "./node-reconciler.ts";
import { NodeView } from "./node-view.ts";
import { podKey, PodsNotReady } from "./pods-not-ready.ts";
import { zoneOf } from "./zones.ts";

/** Upstream's numbers: UpdateWorkerSize and podUpdateWorkerSize. */
const nodeWorkers = 8;
const podWorkers = 4;

// What wakes the judgement of a node, beside a change of the node itself:
//
//   its deadline          one timer per node: the reconcile says when the grace runs out, and is called again then
//   the monitor period    all nodes that are not calm, as a safety net; the same loop asks the API server whether it is there, unless a Lease has just come
//   a change of zones     everything that waits for the eviction of its node, when rates change or all zones go down
//
// A renewed Lease wakes nothing: it only moves the time at which the node was last heard.

/** Finds nodes that are silent, says so in their conditions, and taints them so that their pods leave. */
export class NodeLifecycle implements Controller {
  readonly name = "node-lifecycle";
  readonly #context: ControllerContext;
  readonly #recordEvent: RecordEvent;
  readonly #health = new NodeHealthMap();
  readonly #contact: ApiContact;
  readonly #disruption: ClusterDisruption;
  readonly #limiter: EvictionLimiter;
  readonly #view: NodeView;
  readonly #nodes: QueueController;
  readonly #nodeReconciler: NodeReconciler;
  readonly #pods: QueueController;
  readonly #zoneMetrics: ZoneMetrics;
  /** The version of the view that the state of the zones was computed from. */
  #followed = -1;

  constructor(context: ControllerContext) {
    this.#context = context;
    const { clock, informers, metrics, options } = context;
    this.#recordEvent = context.eventsAs("node-controller");
    this.#contact = new ApiContact(clock);
    this.#disruption = new ClusterDisruption(options);
    this.#limiter = new EvictionLimiter({ clock }, { defaultRatePerSecond: options.nodeEvictionRate });
    this.#view = new NodeView(informers.nodes);
    this.#zoneMetrics = new ZoneMetrics(context);
    const evictions = metrics.counter({
      name: "node_collector_evictions_total",
      help: "Number of Node evictions that happened since current instance of NodeController started.",
      labels: ["zone"],
    });
    const shared = { context, recordEvent: this.#recordEvent, view: this.#view };
    this.#nodeReconciler = new NodeReconciler({
      ...shared,
      health: this.#health,
      contact: this.#contact,
      disruption: this.#disruption,
      limiter: this.#limiter,
      evictions,
      readLease: (node, signal) => this.#readLease(node, signal),
      startedMs: this.#contact.countedMs(),
    });
    this.#nodes = new QueueController(
      {
        ...context,
        reconciler: {
          reconcile: (node, signal) => {
            this.#followDisruption();
            return this.#nodeReconciler.reconcile(node, signal);
          },
        },
        allKeys: () => informers.nodes.list().map((node) => node.metadata.name ?? ""),
      },
      { name: "node_lifecycle_controller", workers: nodeWorkers },
    );
    this.#pods = new QueueController(
      {
        ...context,
        reconciler: new PodsNotReady(shared),
        allKeys: () => informers.pods.list().map((pod) => podKey(pod)),
      },
      { name: "node_lifecycle_controller_pods", workers: podWorkers },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#context;
    const stops = [
      informers.leases.onChange((change) => this.#onLease(change)),
      informers.nodes.onChange((change) => this.#onNode(change)),
      informers.pods.onChange((change) => this.#onPod(change)),
    ];
    await whileListening(stops, Promise.all([this.#nodes.run(signal), this.#pods.run(signal), this.#monitor(signal)]));
  }

  #onLease(change: InformerChange<Lease>): void {
    const { namespace, name = "" } = change.object.metadata;
    if (namespace !== nodeLeaseNamespace || change.type === "deleted") return;
    if (!this.#context.informers.nodes.find({ namespace: "", name })) return;
    if (this.#health.observeLease(name, change.object, this.#contact.countedMs())) this.#contact.heard();
  }

  #onNode(change: InformerChange<Node>): void {
    const node = change.object;
    const name = node.metadata.name ?? "";
    this.#view.changed(name);
    if (change.type === "deleted") {
      this.#health.forget(name);
      this.#limiter.withdraw(zoneOf(node), name);
      this.#recordEvent(nodeEvent(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`));
    } else {
      this.#health.observeNode(node, this.#contact.countedMs());
    }
    this.#nodes.enqueue(name);
    if (change.type === "added") {
      const lease = this.#context.informers.leases.find({ namespace: nodeLeaseNamespace, name });
      this.#health.observeLease(name, lease, this.#contact.countedMs());
      this.#recordEvent(nodeEvent(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`));
    }
    if (change.type === "modified" && zoneOf(change.before) !== zoneOf(node)) {
      this.#limiter.withdraw(zoneOf(change.before), name);
    }
    if (change.type !== "deleted" && !isNodeReady(node)) this.#enqueuePodsOf(name);
  }

  #onPod(change: InformerChange<Pod>): void {
    // What was remembered of a pod goes with it.
    if (change.type === "deleted") return this.#pods.enqueue(podKey(change.object));
    const node = this.#view.find(change.object.spec?.nodeName ?? "");
    if (node && !isNodeReady(node)) this.#pods.enqueue(podKey(change.object));
  }

  #enqueuePodsOf(node: string): void {
    for (const pod of this.#context.informers.pods.byIndex("node", node)) this.#pods.enqueue(podKey(pod));
  }

  /** Looks at the zones again if any node has changed since. Called before each node is judged. */
  #followDisruption(): void {
    if (this.#followed === this.#view.version) return;
    this.#followed = this.#view.version;
    const nodes = this.#view.list();
    const change = this.#disruption.update(nodes);
    const { zones } = this.#disruption.current;
    for (const [zone, plan] of zones) this.#limiter.setRate(zone, plan.evictionRate);
    this.#limiter.keepOnly(new Set(zones.keys()));
    this.#zoneMetrics.set(zones);
    if (change === "entered") this.#context.log.warn("all zones are down: nothing is evicted", { nodes: nodes.length });
    if (change === "left") {
      this.#context.log.info("not all zones are down: every node starts a new grace period", { nodes: nodes.length });
      this.#health.resetAll(this.#contact.countedMs());
    }
    if (change !== "none") for (const node of nodes) this.#nodes.enqueue(node.metadata.name ?? "");
  }

  async #monitor(signal: AbortSignal): Promise<void> {
    const { clock, informers, options } = this.#context;
    const stopped = () => signal.aborted;
    while (!stopped()) {
      if (this.#mayBeCutOff()) await this.#probeApi(signal);
      for (const { metadata } of informers.nodes.list()) {
        if (!this.#nodeReconciler.isCalm(metadata.name ?? "")) this.#nodes.enqueue(metadata.name ?? "");
      }
      await clock.sleep(options.nodeMonitorPeriodMs, signal).catch((error: unknown) => {
        if (!stopped()) throw error;
      });
    }
  }

  /** While Leases are renewed and we hear of it, nobody need be asked whether the API server is there. */
  #mayBeCutOff(): boolean {
    return !this.#contact.reachable || this.#contact.sinceSuccessMs() >= this.#context.options.nodeMonitorPeriodMs;
  }

  /** Asks the API server for a sign of life, for at most the monitor period. */
  async #probeApi(signal: AbortSignal): Promise<void> {
    const { client, log, options } = this.#context;
    const wasReachable = this.#contact.reachable;
    try {
      await client.call({ method: "GET", path: "/readyz", signal, timeoutMs: options.nodeMonitorPeriodMs });
    } catch (error) {
      if (signal.aborted) return;
      if (!isRefusal(error)) {
        this.#contact.failed();
        if (wasReachable) log.warn("the API server cannot be reached: no node's silence counts", { error });
        return;
      }
    }
    this.#contact.succeeded();
    if (!wasReachable) log.info("the API server is back");
  }

  async #readLease(node: string, signal: AbortSignal): Promise<LeaseReading> {
    const { client, log, options } = this.#context;
    const key = { namespace: nodeLeaseNamespace, name: node };
    try {
      const lease = await client.find(leases, key, { signal, timeoutMs: options.nodeMonitorPeriodMs });
      return this.#health.observeLease(node, lease, this.#contact.countedMs()) ? "renewed" : "unchanged";
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#contact.failed();
      log.warn("cannot read the lease of a silent node", { node, error });
      return "unreadable";
    }
  }
}

/** The API server is there and says no, for a reason that lies with the caller. */
function isRefusal(error: unknown): boolean {
  return isApiError(error) && error.code < 500 && error.code !== 429;
}

/** node_collector_zone_size, _zone_health and _unhealthy_nodes_in_zone. */
class ZoneMetrics {
  readonly #size: Gauge;
  readonly #health: Gauge;
  readonly #unhealthy: Gauge;
  #zones = new Set<string>();

  constructor({ metrics }: ControllerContext) {
    const labels = ["zone"];
    this.#size = metrics.gauge({
      name: "node_collector_zone_size",
      help: "Gauge measuring number of registered Nodes per zones.",
      labels,
    });
    this.#health = metrics.gauge({
      name: "node_collector_zone_health",
      help: "Gauge measuring percentage of healthy nodes per zone.",
      labels,
    });
    this.#unhealthy = metrics.gauge({
      name: "node_collector_unhealthy_nodes_in_zone",
      help: "Gauge measuring number of not Ready Nodes per zones.",
      labels,
    });
  }

  set(zones: ReadonlyMap<string, { ready: number; notReady: number }>): void {
    for (const zone of this.#zones) {
      if (!zones.has(zone)) for (const gauge of [this.#size, this.#health, this.#unhealthy]) gauge.remove({ zone });
    }
    this.#zones = new Set(zones.keys());
    for (const [zone, { ready, notReady }] of zones) {
      this.#size.set(ready + notReady, { zone });
      this.#health.set((100 * ready) / (ready + notReady), { zone });
      this.#unhealthy.set(notReady, { zone });
    }
  }
}
