import {
  type Counter,
  formatIpv4Range,
  type Gauge,
  type Histogram,
  type Ipv4Range,
  isApiError,
  type Node,
  nodes,
} from "@kintsugi/api";
import { type Controller, done, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { type RecordEvent, referenceTo } from "../../shared/events/event-note.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { lacksRange, type NodeIpamOptions, occupiedRanges, rangesOf, rangesOutside } from "./plan.ts";

/** One at a time: two nodes must not be given the same range, and a write takes a few milliseconds. */
const workers = 1;
/** A node that found nothing free is looked at again this often, besides whenever a node goes. */
const fullRetryMs = 30_000;

/**
 * Gives each node the range that its pods get their addresses from: upstream's nodeipam with the RangeAllocator. What is taken is read from the
 * nodes each time, so nothing has to be released but by deleting the Node.
 */
export class NodeIpam implements Controller {
  readonly name = "node-ipam";
  readonly #context: ControllerContext;
  readonly #options: NodeIpamOptions;
  readonly #queue: QueueController;
  readonly #record: RecordEvent;
  readonly #metrics: ReturnType<typeof ipamMetrics>;
  /** By the UID of its node, what was sent and is not in the copy of the nodes yet; nobody else may get it, the answer may have been lost. */
  readonly #onTheWay = new Map<string, Ipv4Range>();
  /** The UIDs of nodes whose ranges were reported to lie outside; a node's is forgotten with it. */
  readonly #outside = new Set<string>();
  #nextIndex = 0;

  constructor(context: ControllerContext, options: NodeIpamOptions) {
    const { informers } = context;
    this.#context = context;
    this.#options = options;
    this.#record = context.eventsAs("cidrAllocator");
    this.#metrics = ipamMetrics(context, formatIpv4Range(options.clusterCidr));
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (name, signal) => this.#reconcile(name, signal) },
        allKeys: () => informers.nodes.list().map(({ metadata }) => metadata.name ?? ""),
      },
      // Upstream's name of the queue.
      { name: "cidrallocator_node", workers },
    );
    this.#measure();
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#context.informers.nodes.onChange(({ type, object }) => {
      if (type !== "deleted") this.#reportOutside(object);
      if (type === "deleted") this.#freed(object);
      else if (lacksRange(object)) this.#queue.enqueue(object.metadata.name ?? "");
      else this.#onTheWay.delete(object.metadata.uid ?? "");
    });
    await whileListening([stop], this.#queue.run(signal));
  }

  /** What a node leaves may be what another one waits for. */
  #freed(node: Node): void {
    const set = this.#measure();
    const freed = rangesOf(node).filter((range) => set.contains(range));
    if (freed.length > 0) this.#metrics.releases(freed.length);
    this.#onTheWay.delete(node.metadata.uid ?? "");
    this.#outside.delete(node.metadata.uid ?? "");
    for (const { metadata } of this.#context.informers.nodes.list().filter(lacksRange))
      this.#queue.enqueue(metadata.name ?? "");
  }

  /** Upstream's controller-manager does not start then. A node's range never changes, so the cluster goes on, and is told once. */
  #reportOutside(node: Node): void {
    const { name = "", uid = "" } = node.metadata;
    const { clusterCidr } = this.#options;
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
    this.#record({ about: referenceTo(nodes, node), type: "Warning", reason: "CIDROutsideOfCluster", message });
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, log } = this.#context;
    const node = await client.find(nodes, { namespace: "", name }, { signal });
    if (node === undefined || !lacksRange(node)) return done;
    const { uid = "" } = node.metadata;
    const range = this.#onTheWay.get(uid) ?? this.#allocate();
    if (range === undefined) {
      this.#tell(node, "CIDRNotAvailable");
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
      if (!isApiError(error, "Conflict")) this.#tell(node, "CIDRAssignmentFailed");
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
    const known = this.#context.informers.nodes.list();
    const set = occupiedRanges(this.#options, known, this.#onTheWay.values());
    this.#metrics.usage(set.usedCount / set.size);
    this.#metrics.maximum(set.size);
    return set;
  }

  /** In upstream's words (RecordNodeStatusChange). */
  #tell(node: Node, reason: string): void {
    const message = `Node ${node.metadata.name} status is now: ${reason}`;
    this.#record({ about: referenceTo(nodes, node), type: "Normal", reason, message });
  }
}

/** Upstream's names, with the letters in the order in which upstream has them. */
function ipamMetrics({ metrics }: ControllerContext, clusterCIDR: string) {
  const labels = { clusterCIDR };
  const define = (name: string, help: string) => ({
    name: `node_ipam_controller_${name}`,
    help,
    labels: Object.keys(labels),
  });
  const allocations: Counter = metrics.counter(
    define("cidrset_cidrs_allocations_total", "Counter measuring total number of CIDR allocations."),
  );
  const releases: Counter = metrics.counter(
    define("cidrset_cidrs_releases_total", "Counter measuring total number of CIDR releases."),
  );
  const maximum: Gauge = metrics.gauge(define("cirdset_max_cidrs", "Maximum number of CIDRs that can be allocated."));
  const usage: Gauge = metrics.gauge(define("cidrset_usage_cidrs", "Gauge measuring percentage of allocated CIDRs."));
  const tries: Histogram = metrics.histogram({
    ...define("cidrset_allocation_tries_per_request", "How many ranges were looked at until one was free."),
    buckets: [1, 5, 25, 125, 625],
  });
  return {
    allocated: (tried: number) => {
      allocations.add(1, labels);
      // Upstream counts those that were not free.
      tries.observe(tried - 1, labels);
    },
    releases: (count: number) => releases.add(count, labels),
    maximum: (count: number) => maximum.set(count, labels),
    usage: (share: number) => usage.set(share, labels),
  };
}
