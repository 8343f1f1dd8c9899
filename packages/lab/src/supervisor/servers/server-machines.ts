import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { readServerStates, writeServerStates } from "../../cluster/cluster-files.ts";
import { serverCgroup } from "../../cluster/cluster-paths.ts";
import { findServer, type ServerSpec } from "../../cluster/cluster-spec.ts";
import { type Component, healthyServer, type ServerState } from "../../cluster/component.ts";
import type { ClusterLayout } from "../../components/components.ts";
import { balancerComponent, serverComponents, serverStores } from "../../components/server-components.ts";
import { killCgroup } from "../../host/cgroups.ts";
import { serverAddresses } from "../../network/addresses.ts";
import { applyCut, setLink } from "../../network/network.ts";
import { Refused } from "../control-server.ts";
import type { Provisioner } from "../provisioner.ts";
import { planServerAction, type ServerAction } from "./server-actions.ts";

export interface ServerMachinesDeps {
  clock: Clock;
  log: Logger;
  provisioner: Pick<Provisioner, "server" | "etcdServes" | "apiServes">;
  /** Makes exactly the wanted processes run. */
  keep: () => Promise<void>;
  /** Drops components whose processes are about to be killed. */
  abandon: (ids: readonly string[]) => void;
}

/** Time within which a majority of etcd's members elects its leader, even on a busy host. */
const etcdWaitMs = 15_000;
/**
 * Time within which API servers that share two CPUs start; the other programs do not wait longer.
 */
const apiWaitMs = 10_000;

/** The servers of one cluster's control plane, each a machine with a cable. */
export class ServerMachines {
  readonly #deps: ServerMachinesDeps;
  readonly #layout: ClusterLayout;
  #states = new Map<string, ServerState>();
  /** True if the machines exist. */
  #provisioned = false;
  /** The processes that may run: API servers can only start if etcd responds. */
  #stage: "nothing" | "stores" | "everything" = "nothing";
  /** A server of which only the stores run, while its other processes are being restarted. */
  #restarting: string | undefined;

  constructor(deps: ServerMachinesDeps, layout: ClusterLayout) {
    this.#deps = deps;
    this.#layout = layout;
  }

  async load(): Promise<void> {
    this.#states = await readServerStates(this.#layout.paths, this.#layout.spec);
  }

  states(): Record<string, ServerState> {
    return Object.fromEntries(this.#states);
  }

  /** The processes that should run now. */
  wanted(): Component[] {
    if (this.#stage === "nothing") return [];
    const ofServers = this.#servers()
      .filter((server) => this.#stateOf(server).power === "on")
      .flatMap((server) => {
        const isPart = this.#stage === "stores" || server.name === this.#restarting;
        return isPart ? serverStores(this.#layout, server) : serverComponents(this.#layout, server);
      });
    return this.#stage === "stores" ? ofServers : [...ofServers, balancerComponent(this.#layout)];
  }

  /** Starts every server that has power: first etcd and NATS, then the other programs. */
  async bringUp(): Promise<void> {
    const { provisioner, keep } = this.#deps;
    await Promise.all(this.#servers().map((server) => this.#provision(server)));
    this.#provisioned = true;
    this.#stage = "stores";
    await keep();
    await provisioner.etcdServes(etcdWaitMs);
    this.#stage = "everything";
    await keep();
    await provisioner.apiServes(apiWaitMs);
  }

  /** @throws Refused if the action is invalid now. */
  async act(name: string, action: ServerAction): Promise<void> {
    const { spec, paths } = this.#layout;
    const server = findServer(spec, name);
    if (!this.#provisioned) throw new Refused(`the servers of cluster "${spec.name}" do not exist yet: try again`);
    const before = this.#stateOf(server);
    const plan = planServerAction({ name, cluster: spec.name }, before, action);
    if ("refused" in plan) throw new Refused(plan.refused);
    this.#states.set(name, plan.to);
    await writeServerStates(paths, this.#states);
    this.#deps.log.info("server action", { server: name, action });
    if (plan.losesPower) await this.#powerOff(server);
    else if (plan.restarts) await this.#endServices(name);
    else await this.#connect(server);
    await this.#deps.keep();
  }

  /**
   * Ends API server, scheduler and controller-manager in order; the next pass starts them. The
   * stores keep running, because the other servers need their majority.
   */
  async #endServices(name: string): Promise<void> {
    this.#restarting = name;
    try {
      await this.#deps.keep();
    } finally {
      this.#restarting = undefined;
    }
  }

  async #provision(server: ServerSpec): Promise<void> {
    await this.#deps.provisioner.server(server, { linkUp: this.#stateOf(server).link === "up" });
    await this.#connect(server);
  }

  async #connect(server: ServerSpec): Promise<void> {
    const { spec } = this.#layout;
    const { link, cut } = this.#stateOf(server);
    await applyCut(spec, server, cut);
    await setLink(serverAddresses(spec, server), link);
  }

  /** All processes of a server fail at the same time, without a clean end, and its cable is cut. */
  async #powerOff(server: ServerSpec): Promise<void> {
    const { spec } = this.#layout;
    this.#deps.abandon(serverComponents(this.#layout, server).map(({ id }) => id));
    await setLink(serverAddresses(spec, server), "down");
    await killCgroup(this.#deps.clock, serverCgroup(spec, server));
    await applyCut(spec, server, undefined);
  }

  #servers(): readonly ServerSpec[] {
    return this.#layout.spec.servers ?? [];
  }

  #stateOf({ name }: ServerSpec): ServerState {
    return this.#states.get(name) ?? healthyServer;
  }
}
