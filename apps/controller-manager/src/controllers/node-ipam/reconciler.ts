import { formatIpv4Range, hollowLabel, type Ipv4Range, isApiError, type Node, nodes } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { type IpamMetrics, ipamMetrics } from "./ipam-metrics.ts";
import { OccupiedRanges } from "./occupied-ranges.ts";
import { lacksRange, type NodeRanges, rangesOf, rangesOutside } from "./plan.ts";

/** Allocates the range of one node. Only the deletion of a Node releases its range. */
export class NodeRangeReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #ranges: NodeRanges;
  readonly #metrics: IpamMetrics;
  readonly #occupied: OccupiedRanges;
  /** The UIDs of nodes whose ranges were reported to lie outside; removed with the node. */
  readonly #outside = new Set<string>();
  /** The names of the nodes for which no range was free, in the order of their requests. */
  readonly #waiting = new Set<string>();
  #nextIndex = 0;

  constructor(context: ControllerContext, ranges: NodeRanges) {
    this.#context = context;
    this.#ranges = ranges;
    this.#metrics = ipamMetrics(context, formatIpv4Range(ranges.clusterCidr));
    this.#occupied = new OccupiedRanges(ranges);
    this.#metrics.maximum(this.#occupied.set.size);
    this.#measure();
  }

  /** The names of the nodes that may get a range now. */
  observe({ type, object }: InformerChange<Node>): string[] {
    const { name = "", uid = "" } = object.metadata;
    this.#occupied.observe(name, type === "deleted" ? undefined : object);
    if (type === "deleted") this.#forget(object);
    else this.#reportOutside(object);
    const isWithout = type !== "deleted" && lacksRange(object);
    if (!isWithout) {
      this.#occupied.arrived(name, uid);
      this.#waiting.delete(name);
    }
    this.#measure();
    // A waiting node is not reconciled for its own changes, because they do not free a range.
    const own = isWithout && !this.#waiting.has(name) ? [name] : [];
    return [...own, ...this.#served()];
  }

  #forget(node: Node): void {
    const freed = rangesOf(node).filter((range) => this.#occupied.set.contains(range));
    if (freed.length > 0) this.#metrics.releases(freed.length);
    this.#outside.delete(node.metadata.uid ?? "");
  }

  /** Removes as many nodes from the waiting list as ranges are free. */
  #served(): string[] {
    const { set } = this.#occupied;
    const names: string[] = [];
    for (const name of this.#waiting) {
      if (names.length >= set.size - set.usedCount) break;
      this.#waiting.delete(name);
      names.push(name);
    }
    return names;
  }

  /**
   * Upstream's controller-manager does not start in this case. A node's range never changes, so the
   * cluster continues, and the range is reported once. Addresses of hollow nodes are unroutable on
   * purpose.
   */
  #reportOutside(node: Node): void {
    const { name = "", uid = "", labels } = node.metadata;
    if (labels?.[hollowLabel] === "true") return;
    const { clusterCidr } = this.#ranges;
    const [outside] = rangesOutside(clusterCidr, node);
    if (outside === undefined || this.#outside.has(uid)) return;
    this.#outside.add(uid);
    const [podCidr, cluster] = [formatIpv4Range(outside), formatIpv4Range(clusterCidr)];
    this.#context.log.warn("a node's range is outside of --cluster-cidr: widen --cluster-cidr, or replace the node", {
      node: name,
      podCidr,
      clusterCidr: cluster,
    });
    const message = `The range ${podCidr} of node ${name} is outside of the cluster's range ${cluster}`;
    const about = referenceTo(nodes, node);
    this.#context.recordEvent({ about, type: "Warning", reason: "CIDROutsideOfCluster", message });
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, log } = this.#context;
    const node = await client.find(nodes, { namespace: "", name }, { signal });
    if (node === undefined || !lacksRange(node)) {
      if (node === undefined) this.#occupied.giveUp(name);
      // This node no longer needs its place in the queue, so the next waiting node may have the
      // range.
      for (const next of this.#served()) this.#context.enqueue(next);
      return done;
    }
    const { uid = "" } = node.metadata;
    const range = this.#occupied.onTheWayTo(name, uid) ?? this.#allocate(name, uid);
    if (range === undefined) {
      this.#waiting.add(name);
      this.#record(node, "CIDRNotAvailable");
      log.warn("no range is free for the node's pods: delete nodes that no longer exist, or enlarge --cluster-cidr", {
        node: name,
      });
      return done;
    }
    const cidr = formatIpv4Range(range);
    try {
      await client.update(nodes, { ...node, spec: { ...node.spec, podCIDR: cidr, podCIDRs: [cidr] } }, { signal });
    } catch (error) {
      if (!isApiError(error, "Conflict")) this.#record(node, "CIDRAssignmentFailed");
      throw error;
    }
    log.info("pod range assigned to a node", { node: name, podCidr: cidr });
    return done;
  }

  #allocate(name: string, uid: string): Ipv4Range | undefined {
    const { set } = this.#occupied;
    const free = set.nextFree(this.#nextIndex);
    if (free === undefined) return undefined;
    this.#occupied.send(name, uid, free.range);
    this.#nextIndex = (free.index + 1) % set.size;
    this.#metrics.allocated(free.tries);
    this.#measure();
    return free.range;
  }

  #measure(): void {
    const { set } = this.#occupied;
    this.#metrics.usage(set.usedCount / set.size);
  }

  /** Records the event in upstream's words (RecordNodeStatusChange). */
  #record(node: Node, reason: string): void {
    const message = `Node ${node.metadata.name} status is now: ${reason}`;
    this.#context.recordEvent({ about: referenceTo(nodes, node), type: "Normal", reason, message });
  }
}
