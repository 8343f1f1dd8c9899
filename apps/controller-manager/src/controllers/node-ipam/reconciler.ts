import { formatIpv4Range, type Ipv4Range, isApiError, type Node, nodes } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { type IpamMetrics, ipamMetrics } from "./ipam-metrics.ts";
import { lacksRange, type NodeRanges, occupiedRanges, rangesOf, rangesOutside } from "./plan.ts";

/** A node that found nothing free is looked at again this often, besides whenever a node goes. */
const fullRetryMs = 30_000;

/**
 * Gives one node its range. The ranges in use are read from the nodes each time, so only deleting
 * the Node releases one.
 */
export class NodeRangeReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #ranges: NodeRanges;
  readonly #metrics: IpamMetrics;
  /**
   * Each range that was sent and is not in the copy of the nodes yet, by its node's UID: the answer
   * may have been lost.
   */
  readonly #onTheWay = new Map<string, Ipv4Range>();
  /** The UIDs of nodes whose ranges were reported to lie outside; a node's is forgotten with it. */
  readonly #outside = new Set<string>();
  #nextIndex = 0;

  constructor(context: ControllerContext, ranges: NodeRanges) {
    this.#context = context;
    this.#ranges = ranges;
    this.#metrics = ipamMetrics(context, formatIpv4Range(ranges.clusterCidr));
    this.#measure();
  }

  /** The names of the nodes that may get a range now. */
  observe({ type, object }: InformerChange<Node>): string[] {
    if (type === "deleted") return this.#freed(object);
    this.#reportOutside(object);
    if (lacksRange(object)) return [object.metadata.name ?? ""];
    this.#onTheWay.delete(object.metadata.uid ?? "");
    return [];
  }

  /** Another node may wait for the range that a node leaves. */
  #freed(node: Node): string[] {
    const set = this.#measure();
    const freed = rangesOf(node).filter((range) => set.contains(range));
    if (freed.length > 0) this.#metrics.releases(freed.length);
    this.#onTheWay.delete(node.metadata.uid ?? "");
    this.#outside.delete(node.metadata.uid ?? "");
    return this.#context.informers
      .of(nodes)
      .list()
      .filter(lacksRange)
      .map(({ metadata }) => metadata.name ?? "");
  }

  /**
   * Upstream's controller-manager does not start then. A node's range never changes, so the cluster
   * goes on, and it is reported once.
   */
  #reportOutside(node: Node): void {
    const { name = "", uid = "" } = node.metadata;
    const { clusterCidr } = this.#ranges;
    const [outside] = rangesOutside(clusterCidr, node);
    if (outside === undefined || this.#outside.has(uid)) return;
    this.#outside.add(uid);
    const [podCidr, cluster] = [formatIpv4Range(outside), formatIpv4Range(clusterCidr)];
    this.#context.log.warn("a node's range is outside of --cluster-cidr: widen that, or replace the node", {
      node: name,
      podCidr,
      clusterCidr: cluster,
    });
    const message = `The range ${podCidr} of node ${name} is outside of the cluster's ${cluster}`;
    const about = referenceTo(nodes, node);
    this.#context.recordEvent({ about, type: "Warning", reason: "CIDROutsideOfCluster", message });
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, log } = this.#context;
    const node = await client.find(nodes, { namespace: "", name }, { signal });
    if (node === undefined || !lacksRange(node)) return done;
    const { uid = "" } = node.metadata;
    const range = this.#onTheWay.get(uid) ?? this.#allocate();
    if (range === undefined) {
      this.#record(node, "CIDRNotAvailable");
      log.warn("no range is free for the node's pods: delete nodes that are gone, or widen --cluster-cidr", {
        node: name,
      });
      return { retryAfterMs: fullRetryMs };
    }
    this.#onTheWay.set(uid, range);
    const cidr = formatIpv4Range(range);
    try {
      await client.update(nodes, { ...node, spec: { ...node.spec, podCIDR: cidr, podCIDRs: [cidr] } }, { signal });
    } catch (error) {
      if (!isApiError(error, "Conflict")) this.#record(node, "CIDRAssignmentFailed");
      throw error;
    }
    log.info("node has the range of its pods", { node: name, podCidr: cidr });
    return done;
  }

  #allocate(): Ipv4Range | undefined {
    const set = this.#measure();
    const free = set.nextFree(this.#nextIndex);
    if (free === undefined) return undefined;
    this.#nextIndex = (free.index + 1) % set.size;
    this.#metrics.allocated(free.tries);
    return free.range;
  }

  #measure() {
    const known = this.#context.informers.of(nodes).list();
    const set = occupiedRanges(this.#ranges, known, this.#onTheWay.values());
    this.#metrics.usage(set.usedCount / set.size);
    this.#metrics.maximum(set.size);
    return set;
  }

  /** Records the event in upstream's words (RecordNodeStatusChange). */
  #record(node: Node, reason: string): void {
    const message = `Node ${node.metadata.name} status is now: ${reason}`;
    this.#context.recordEvent({ about: referenceTo(nodes, node), type: "Normal", reason, message });
  }
}
