import type { Logger, Node } from "@kintsugi/api";
import type { HttpPool } from "@kintsugi/client";
import { type Clock, type Random, untilAborted } from "@kintsugi/clock";
import { Wire } from "@kintsugi/simulation";
import { SharedCopies } from "./copies/shared-copies.ts";
import { powerIn, startDelayMsIn } from "./node/behaviour.ts";
import type { MachineSize } from "./node/hollow-machine.ts";
import { type DriverOn, HollowNode, type NodeServing } from "./node/hollow-node.ts";
import type { KubeletOptions } from "@kintsugi/kubelet/factory";

export interface FleetDeps {
  /** Clients of the cluster, each for one user. */
  pool: Pick<HttpPool, "client">;
  clock: Clock;
  random: Random;
  log: Logger;
  /**
   * Makes the nodes answer requests for logs and streams; if it is absent, the nodes reject such
   * requests.
   */
  serving?: NodeServing | undefined;
  /** The network between a node and the API server; absent: it has no faults. */
  wireOf?: ((nodeName: string) => Wire) | undefined;
  /** The storage driver of each machine; absent: pods with claims cannot run. */
  driverOn?: DriverOn | undefined;
}

export interface FleetOptions {
  /** The kubelets, one for each node. */
  kubelets: readonly KubeletOptions[];
  machine: MachineSize;
  /**
   * True: each node's requests are sent as `system:node:NAME` of the group `system:nodes`, which
   * the credentials must be allowed to impersonate. False: they are sent as the credentials' own
   * user.
   */
  impersonate: boolean;
}

/**
 * Number of nodes that boot in one turn of the event loop, because each node creates several
 * hundred objects.
 */
const bootsAtOnce = 20;

/** All hollow nodes of one process. */
export class Fleet {
  readonly #deps: FleetDeps;
  readonly #nodes: ReadonlyMap<string, HollowNode>;
  readonly #copies: SharedCopies;

  constructor(deps: FleetDeps, { kubelets, machine, impersonate }: FleetOptions) {
    const { pool, clock, random, log } = deps;
    const own = new Set(kubelets.map(({ nodeName }) => nodeName));
    this.#deps = deps;
    this.#copies = new SharedCopies(
      { client: pool.client(), clock, random, log },
      {
        isOwn: (name) => own.has(name),
        startsLate: ({ metadata }) => startDelayMsIn(metadata.annotations) > 0,
      },
    );
    this.#nodes = new Map(
      kubelets.map((kubelet) => {
        const { nodeName } = kubelet;
        const user = { name: `system:node:${nodeName}`, group: "system:nodes" };
        const client = pool.client(impersonate ? user : undefined);
        const onDeath = ({ error }: { error: unknown }) => log.error("kubelet ended", { node: nodeName, error });
        const node = new HollowNode(
          {
            clock,
            random,
            log: log.child({ node: nodeName }),
            client,
            copies: this.#copies,
            onDeath,
            serving: deps.serving,
            driverOn: deps.driverOn,
            wire: deps.wireOf?.(nodeName) ?? new Wire(),
          },
          { machine, kubelet },
        );
        return [nodeName, node] as const;
      }),
    );
  }

  get nodes(): readonly HollowNode[] {
    return [...this.#nodes.values()];
  }

  find(name: string): HollowNode | undefined {
    return this.#nodes.get(name);
  }

  /** Runs all nodes until the signal aborts. A node's annotation controls its power. */
  async run(signal: AbortSignal): Promise<void> {
    const { nodes } = this.#copies;
    const copying = this.#copies.run(signal);
    // A node that was off before this process began remains off.
    await Promise.race([nodes.waitForSync(signal), copying]);
    const stopFollowing = nodes.onChange(({ type, object }) => {
      if (type !== "deleted") this.#follow(object);
    });
    try {
      await this.#bootAll(signal);
      await Promise.race([untilAborted(signal), copying]);
    } finally {
      stopFollowing();
      await Promise.all([...this.#nodes.values()].map((node) => node.stop()));
    }
    await copying;
  }

  #follow({ metadata }: Node): void {
    const node = this.#nodes.get(metadata.name ?? "");
    const wanted = powerIn(metadata.annotations);
    if (node === undefined || node.power === wanted) return;
    this.#deps.log.info("power of a node changes", { node: node.name, from: node.power, to: wanted });
    node.setPower(wanted);
  }

  async #bootAll(signal: AbortSignal): Promise<void> {
    let booted = 0;
    for (const node of this.#nodes.values()) {
      if (signal.aborted) return;
      if (this.#copies.nodes.find({ namespace: "", name: node.name }) === undefined) node.setPower("on");
      if (++booted % bootsAtOnce === 0) await this.#deps.clock.nextTurn();
    }
  }
}
