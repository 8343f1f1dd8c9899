import { isApiError, leases, type Lease, type Node, nodeLeaseNamespace, nodes } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import type { Reconciler, ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { ApiContact } from "./api-contact.ts";
import { ClusterDisruption } from "./cluster-disruption.ts";
import { EvictionLimiter } from "./eviction-limiter.ts";
import { NodeHealthMap } from "./node-health.ts";
import { type LeaseReading, nodeEvent, NodeReconciler } from "./node-reconciler.ts";
import { NodeView } from "./node-view.ts";
import type { nodeLifecycleOptions } from "./options.ts";
import { ZoneMetrics } from "./zone-metrics.ts";
import { zoneOf } from "@kintsugi/rules";

/**
 * Combines the facts about all nodes: their last signs of life, the zones that are down, and
 * whether the API server responds.
 */
export class NodeLifecycle implements Reconciler {
  readonly view: NodeView;
  readonly #context: ControllerContext<typeof nodeLifecycleOptions>;
  readonly #health = new NodeHealthMap();
  readonly #contact: ApiContact;
  readonly #disruption: ClusterDisruption;
  readonly #limiter: EvictionLimiter;
  readonly #nodeReconciler: NodeReconciler;
  readonly #zoneMetrics: ZoneMetrics;

  constructor(context: ControllerContext<typeof nodeLifecycleOptions>) {
    this.#context = context;
    const { clock, informers, metrics, options } = context;
    this.#contact = new ApiContact(clock);
    this.#disruption = new ClusterDisruption(options);
    this.#limiter = new EvictionLimiter({ clock }, { defaultRatePerSecond: options.nodeEvictionRate });
    this.view = new NodeView(informers.of(nodes));
    this.#zoneMetrics = new ZoneMetrics(context);
    const evictions = metrics.counter({
      name: "node_collector_evictions_total",
      help: "Number of Node evictions that happened since current instance of NodeController started.",
      labels: ["zone"],
    });
    this.#nodeReconciler = new NodeReconciler({
      context,
      view: this.view,
      health: this.#health,
      contact: this.#contact,
      disruption: this.#disruption,
      limiter: this.#limiter,
      evictions,
      readLease: (node, signal) => this.#readLease(node, signal),
      startedMs: this.#contact.countedMs(),
    });
  }

  reconcile(node: string, signal: AbortSignal): Promise<ReconcileResult> {
    this.#followDisruption();
    return this.#nodeReconciler.reconcile(node, signal);
  }

  observeLease(change: InformerChange<Lease>): void {
    const { namespace, name = "" } = change.object.metadata;
    if (namespace !== nodeLeaseNamespace || change.type === "deleted") return;
    if (!this.#context.informers.of(nodes).find({ namespace: "", name })) return;
    if (this.#health.observeLease(name, change.object, this.#contact.countedMs())) this.#contact.heard();
  }

  observeNode(change: InformerChange<Node>): void {
    const { enqueue, informers, recordEvent } = this.#context;
    const node = change.object;
    const name = node.metadata.name ?? "";
    this.view.changed(name);
    if (change.type === "deleted") {
      this.#health.forget(name);
      this.#limiter.withdraw(zoneOf(node), name);
      recordEvent(nodeEvent(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`));
    } else {
      this.#health.observeNode(node, this.#contact.countedMs());
    }
    enqueue(name);
    if (change.type === "added") {
      const lease = informers.of(leases).find({ namespace: nodeLeaseNamespace, name });
      this.#health.observeLease(name, lease, this.#contact.countedMs());
      recordEvent(nodeEvent(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`));
    }
    if (change.type === "modified" && zoneOf(change.before) !== zoneOf(node))
      this.#limiter.withdraw(zoneOf(change.before), name);
  }

  /** Probes the API server if it may be unreachable, and wakes every node that is not steady. */
  async monitor(signal: AbortSignal): Promise<void> {
    if (this.#mayBeCutOff()) await this.#probeApi(signal);
    for (const { metadata } of this.#context.informers.of(nodes).list()) {
      if (!this.#nodeReconciler.isSteady(metadata.name ?? "")) this.#context.enqueue(metadata.name ?? "");
    }
  }

  /**
   * Judges the zones again if any node has changed since the last time. Called before each node is
   * judged.
   */
  #followDisruption(): void {
    const touched = this.view.takeTouched();
    if (touched.length === 0) return;
    for (const name of touched) this.#disruption.observe(name, this.view.find(name));
    const change = this.#disruption.update();
    const { zones } = this.#disruption.current;
    for (const [zone, plan] of zones) this.#limiter.setRate(zone, plan.evictionRate);
    this.#limiter.keepOnly(new Set(zones.keys()));
    this.#zoneMetrics.set(zones);
    if (change === "none") return;
    const all = this.view.list();
    if (change === "entered") this.#context.log.warn("all zones are down: nothing is evicted", { nodes: all.length });
    if (change === "left") {
      this.#context.log.info("not all zones are down: every node starts a new grace period", { nodes: all.length });
      this.#health.resetAll(this.#contact.countedMs());
    }
    for (const node of all) this.#context.enqueue(node.metadata.name ?? "");
  }

  /** The API server does not have to be probed while renewed Leases arrive. */
  #mayBeCutOff(): boolean {
    return !this.#contact.reachable || this.#contact.sinceSuccessMs() >= this.#context.options.nodeMonitorPeriodMs;
  }

  /** Probes the API server, for at most the monitor period. */
  async #probeApi(signal: AbortSignal): Promise<void> {
    const { client, log, options } = this.#context;
    const wasReachable = this.#contact.reachable;
    try {
      await client.call({ method: "GET", path: "/readyz", signal, timeoutMs: options.nodeMonitorPeriodMs });
    } catch (error) {
      if (signal.aborted) return;
      if (!isRefusal(error)) {
        this.#contact.failed();
        if (wasReachable) log.warn("the API server cannot be reached, so the silence of nodes is ignored", { error });
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

/** The API server responds with a rejection, for a reason on the caller's side. */
function isRefusal(error: unknown): boolean {
  return isApiError(error) && error.code < 500 && error.code !== 429;
}
