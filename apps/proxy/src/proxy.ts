import {
  type ChangeStream,
  type EndpointSlice,
  endpointSlices,
  type Logger,
  type Metrics,
  type Node,
  nodes,
  type Service,
  services,
} from "@kintsugi/api";
import { createInformer, type Informer, type ObjectReader } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { runTogether } from "@kintsugi/controller";
import { ServiceDirectory, serviceIndexes, sliceIndexes } from "@kintsugi/dns";
import { ClusterNodes } from "./cluster/cluster-nodes.ts";
import type { Conntrack } from "./conntrack/conntrack.ts";
import { leadElsewhere, type UdpDestinations } from "./conntrack/stale-flows.ts";
import { planServiceHealth, type ServiceHealth } from "./health/service-health.ts";
import type { Nft } from "./nft/nft.ts";
import { isEligible, proxyNode, sameNode } from "./own-node.ts";
import { hasExternalAddress } from "./plan/guard-ports.ts";
import { type Plan, planRules, type PlanOptions, type ProxyNode } from "./plan/plan-rules.ts";
import { ProxyMetrics } from "./proxy-metrics.ts";
import { RulesKeeper, type RulesKeeperOptions } from "./rules-keeper.ts";
import { TriggerTimes } from "./trigger-times.ts";

export interface ProxyDeps {
  client: ObjectReader;
  /** Absent: the informers follow over HTTP. */
  changes?: ChangeStream | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  nft: Nft;
  conntrack: Conntrack;
  /** Returns the addresses of the servers to which this proxy connects. */
  controlPlane(): readonly string[];
  /** Serves the health check ports of Services; absent where the ports are not served. */
  serviceHealth?: { apply(planned: ReadonlyMap<number, ServiceHealth>): void } | undefined;
}

export interface ProxyOptions extends RulesKeeperOptions, PlanOptions {
  nodeName: string;
  /** False where the proxy's identity may only read its own Node. */
  guardsAllNodes: boolean;
}

export interface Proxy {
  /** Maintains the rules until the signal aborts, and then leaves them in the kernel. */
  run(signal: AbortSignal): Promise<void>;
  readonly state: ProxyState;
  /** The objects with names: the same Services and endpoints from which the rules are made. */
  readonly directory: ServiceDirectory;
  /** Returns the facts about the node; nearly empty before its Node exists. */
  node(): ProxyNode;
}

/** The state of the proxy, for its health checks. */
export interface ProxyState {
  /** True when the first lists have been read. */
  readonly synced: boolean;
  /**
   * The monotonic time at which the oldest change that is not in the rules yet arrived; undefined
   * when no change waits.
   */
  readonly waitingSinceMs: number | undefined;
  /** Wall time of the last sync; undefined before the first. */
  readonly lastSyncedMs: number | undefined;
  /** True where the node is not about to be removed, so that load balancers may use it. */
  readonly nodeEligible: boolean;
}

/**
 * Directs packets for Services to their pods, on one node, and answers DNS queries for their names.
 * Nothing runs before `run`.
 */
export function createProxy(deps: ProxyDeps, options: ProxyOptions): Proxy {
  const { clock, log, nft } = deps;
  const metrics = new ProxyMetrics(deps.metrics);
  const startedMs = clock.nowMs();
  const followed = {
    services: createInformer(deps, { type: services, indexes: serviceIndexes }),
    slices: createInformer(deps, { type: endpointSlices, indexes: sliceIndexes }),
    nodes: createInformer(deps, { type: nodes, nodeName: options.nodeName }),
  };
  const informers = Object.values(followed);
  const ownNode = () => followed.nodes.find({ namespace: "", name: options.nodeName });
  const node = () => proxyNode(options.nodeName, ownNode());
  const triggers = new TriggerTimes(startedMs);
  let lastSyncedMs: number | undefined;
  let udp: UdpDestinations | undefined;
  const clusterNodes = new ClusterNodes({
    ...deps,
    isWanted: () => options.guardsAllNodes && followed.services.list().some(hasExternalAddress),
    onChange: () => keeper.queue(),
  });
  const knownNodes = () => {
    const own = ownNode();
    return options.guardsAllNodes ? clusterNodes.list() : own === undefined ? [] : [own];
  };
  const refusals = new Refusals(log);

  const keeper: RulesKeeper = new RulesKeeper(
    {
      clock,
      log,
      nft,
      metrics,
      plan: () =>
        planRules(
          {
            services: followed.services.list(),
            slices: followed.slices.list(),
            node: node(),
            cluster: { nodes: knownNodes(), controlPlane: deps.controlPlane() },
          },
          options,
        ),
      onSynced(plan) {
        refusals.note(plan);
        deps.serviceHealth?.apply(
          planServiceHealth(followed.services.list(), followed.slices.list(), options.nodeName),
        );
        if (leadElsewhere(udp, plan.udp)) void deps.conntrack.forgetStale(plan.udp);
        udp = plan.udp;
        lastSyncedMs = clock.nowMs();
        for (const sinceMs of triggers.take()) metrics.programmed(lastSyncedMs - sinceMs);
      },
    },
    options,
  );

  return {
    directory: new ServiceDirectory({ services: followed.services, slices: followed.slices }),
    node,
    get state() {
      return {
        synced: informers.every((informer) => informer.synced),
        waitingSinceMs: keeper.waitingSinceMs,
        lastSyncedMs,
        nodeEligible: isEligible(ownNode()),
      };
    },
    run: (signal) => followAll({ followed, clusterNodes, keeper, metrics, triggers }, signal),
  };
}

interface Followers {
  keeper: RulesKeeper;
  metrics: ProxyMetrics;
  triggers: TriggerTimes;
}

interface FollowDeps extends Followers {
  followed: Followed;
  clusterNodes: ClusterNodes;
}

async function followAll(deps: FollowDeps, signal: AbortSignal): Promise<void> {
  const { followed, clusterNodes, keeper } = deps;
  const informers = Object.values(followed);
  const stops = listen(followed, deps);
  stops.push(followed.services.onChange(() => clusterNodes.look()));
  const keep = async (ends: AbortSignal) => {
    // While only half of the lists have been read, Services with endpoints would reject connections
    // that worked before.
    await Promise.all(informers.map((informer) => informer.waitForSync(ends)));
    await clusterNodes.waitUntilKnown(ends);
    await keeper.run(ends);
  };
  const followNodes = (ends: AbortSignal) => clusterNodes.run(ends);
  try {
    const follow = informers.map((informer) => (ends: AbortSignal) => informer.run(ends));
    await runTogether(signal, [...follow, followNodes, keep]);
  } finally {
    for (const stop of stops) stop();
  }
}

/** Logs each set of rejected addresses once, and names the first address. */
class Refusals {
  readonly #log: Logger;
  #noted = "";

  constructor(log: Logger) {
    this.#log = log;
  }

  note({ refused }: Pick<Plan, "refused">): void {
    const text = refused.map(({ service, address, because }) => `${service}: ${address} ${because}`).join("; ");
    if (text !== "" && text !== this.#noted)
      this.#log.warn("external addresses are not served", { count: refused.length, refused: text.slice(0, 1000) });
    this.#noted = text;
  }
}

interface Followed {
  readonly services: Informer<Service>;
  readonly slices: Informer<EndpointSlice>;
  readonly nodes: Informer<Node>;
}

/**
 * Causes the rules to be made again for each change on which they may depend. Returns a function
 * that stops this.
 */
function listen(followed: Followed, { keeper, metrics, triggers }: Followers): (() => void)[] {
  return [
    followed.services.onChange(() => {
      metrics.changed("service");
      keeper.queue();
    }),
    followed.slices.onChange((change) => {
      metrics.changed("endpoint");
      triggers.note(change);
      keeper.queue();
    }),
    followed.nodes.onChange((change) => {
      if (change.type === "modified" && sameNode(change.before, change.object)) return;
      keeper.queue();
    }),
  ];
}
