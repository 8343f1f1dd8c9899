import { strict as assert } from "node:assert";
import type { Logger } from "@kintsugi/api";
import { type Clock, Mutex, untilAborted } from "@kintsugi/clock";
import { killCgroup } from "../host/cgroups.ts";
import { readNodeStates, writeNodeStates } from "../cluster/cluster-files.ts";
import { nodeCgroup } from "../cluster/cluster-paths.ts";
import { type ClusterSpec, findNode, type NodeSpec } from "../cluster/cluster-spec.ts";
import { addedIndexMax, type NewNode, planNewNodes, withoutNode } from "../settings/nodes/new-nodes.ts";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import { nodeAddresses } from "../network/addresses.ts";
import { setLink } from "../network/network.ts";
import { type Component, healthyNode, type NodeState } from "../cluster/component.ts";
import type { ClusterLayout } from "../components/components.ts";
import { controlComponents } from "../components/control-programs.ts";
import { hostPlacement } from "../components/control-placement.ts";
import { hostPrograms } from "../components/host-programs.ts";
import { hostComponent, nodeComponent, type NodeProgram, nodeProcessId } from "../components/lab-program.ts";
import { kubeletProgram, nodePrograms } from "../components/node-programs.ts";
import { type ControlTarget, Refused } from "./control-server.ts";
import { type NodeAction, planNodeAction } from "./node-actions.ts";
import type { OutOfService } from "./out-of-service.ts";
import { ProcessKeeper } from "./process-keeper.ts";
import { provideObjects } from "./provide-objects.ts";
import type { Provisioner } from "./provisioner.ts";
import type { ServerAction } from "./servers/server-actions.ts";
import { ServerMachines } from "./servers/server-machines.ts";
import type { SupervisorStatus, SupervisorStep } from "./status.ts";

export interface ClusterSupervisorDeps {
  clock: Clock;
  log: Logger;
  provisioner: Provisioner;
  outOfService: OutOfService;
  /**
   * Stores the cluster's new description, on disk and in the layout, after nodes were added or
   * removed.
   */
  keepSpec: (spec: ClusterSpec) => Promise<void>;
  /** The API objects of the lab's drivers. */
  objects: readonly LabObjects[];
}

/** Objects that are created once the nodes are up. */
interface LabObjects {
  /** The objects in words: "StorageClass of the lab's driver". */
  readonly what: string;
  when(spec: ClusterSpec): boolean;
  provide(): Promise<void>;
}

/**
 * If an API server takes longer than this to start, it has a fault, and the other programs start
 * without it.
 */
const apiWaitMs = 2_000;
/** If a kubelet takes longer than this, or was stopped, its node's proxy starts without it. */
const kubeletWaitMs = 10_000;

/**
 * Starts one cluster, keeps its processes running, and performs the user's actions on its nodes.
 * One per cluster.
 */
export class ClusterSupervisor implements ControlTarget {
  readonly #deps: ClusterSupervisorDeps;
  readonly #layout: ClusterLayout;
  readonly #keeper: ProcessKeeper;
  readonly #steps: SupervisorStep[] = [];
  readonly #warnings: string[] = [];
  readonly #containerds = new Map<string, Component>();
  /** Nodes whose kubelet may run: their containerd responds and has the images. */
  readonly #provisioned = new Set<string>();
  /** Nodes whose proxy may run: their kubelet serves, or its timeout has passed. */
  readonly #served = new Set<string>();
  /**
   * True once the nodes are up after an undisturbed start, so that the programs that start after
   * the nodes may run.
   */
  #nodesServe = false;
  readonly #servers: ServerMachines;
  #controlPlane: readonly Component[] = [];
  /** True once programs that depend on a running control plane may be started. */
  #apiServed = false;
  #states = new Map<string, NodeState>();
  #settled = false;
  /** Actions run one after another. */
  readonly #actions = new Mutex();

  constructor(deps: ClusterSupervisorDeps, layout: ClusterLayout) {
    this.#deps = deps;
    this.#layout = layout;
    this.#keeper = new ProcessKeeper(deps, { pidDirectory: layout.paths.pids });
    const keep = () => this.#keep();
    this.#servers = new ServerMachines({ ...deps, keep, abandon: (ids) => this.#keeper.abandon(ids) }, layout);
  }

  /**
   * Starts everything, and supervises the processes until the signal aborts; the processes continue
   * to run.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { spec, paths } = this.#layout;
    this.#states = await readNodeStates(paths, spec);
    await this.#servers.load();
    const adopted = await this.#keeper.adopt();
    if (adopted.length > 0) this.#deps.log.info("adopted running processes", { components: adopted.join(" ") });
    this.#nodesServe = hostPrograms.some(({ name, after }) => after === "nodes" && adopted.includes(name));
    const afterKubelet = nodePrograms.filter(({ after }) => after === "kubelet");
    for (const node of this.#layout.spec.nodes)
      if (afterKubelet.some((program) => adopted.includes(nodeProcessId(program, node)))) this.#served.add(node.name);
    // A node accepts actions once it exists.
    await this.#actions.run(() => this.#bringUp(signal));
    await untilAborted(signal);
    this.#keeper.close();
  }

  status(): SupervisorStatus {
    const components = [...this.#keeper.records()].map(([id, record]) => ({
      id,
      pid: record.process?.pid,
      restarts: record.restarts,
    }));
    return {
      cluster: this.#layout.spec.name,
      pid: process.pid,
      steps: [...this.#steps],
      warnings: [...this.#warnings],
      settled: this.#settled,
      components: components.sort((a, b) => (a.id < b.id ? -1 : 1)),
      nodes: Object.fromEntries(this.#states),
      ...(this.#layout.spec.servers === undefined ? {} : { servers: this.#servers.states() }),
      machines: this.#layout.spec.nodes.map((node) => ({
        name: node.name,
        index: node.index,
        address: nodeAddresses(this.#layout.spec, node).address,
        labels: { ...node.labels },
      })),
    };
  }

  act(name: string, action: NodeAction): Promise<void> {
    return this.#actions.run(() => this.#act(name, action));
  }

  actOnServer(name: string, action: ServerAction): Promise<void> {
    return this.#actions.run(() => refusingLater(() => this.#servers.act(name, action)));
  }

  addNode(wanted: NewNode): Promise<string> {
    return this.#actions.run(async () => {
      const { spec } = this.#layout;
      const [node] = refusing(() => planNewNodes(spec.nodes, [wanted], { indexMax: addedIndexMax }));
      assert(node !== undefined, "exactly one node is planned for each desired node");
      await this.#deps.keepSpec({ ...spec, nodes: [...spec.nodes, node] });
      this.#states.set(node.name, healthyNode);
      await writeNodeStates(this.#layout.paths, this.#states);
      this.#deps.log.info("node added", { node: node.name });
      const { provisioner } = this.#deps;
      await Promise.all([provisioner.files(), provisioner.bridge()]);
      await this.#bringUpNode(node);
      await provisioner.routesTo(node);
      return node.name;
    });
  }

  removeNode(name: string): Promise<void> {
    return this.#actions.run(async () => {
      const node = this.#nodeNamed(name);
      const rest = refusing(() => withoutNode(this.#layout.spec, name));
      await this.#powerOff(node);
      await this.#deps.provisioner.removeNode(node);
      this.#states.delete(name);
      await writeNodeStates(this.#layout.paths, this.#states);
      // The description is removed last, so that a half-removed node can be removed again.
      await this.#deps.keepSpec(rest);
      this.#deps.log.info("node removed", { node: name });
    });
  }

  async #act(name: string, action: NodeAction): Promise<void> {
    const node = this.#nodeNamed(name);
    const before = this.#states.get(name) ?? healthyNode;
    const plan = planNodeAction({ name, cluster: this.#layout.spec.name }, before, action);
    if ("refused" in plan) throw new Refused(plan.refused);
    // A taint that remained after the return would cause running pods to be deleted, so it is
    // removed first, or the machine stays off.
    if (before.fenced && !plan.to.fenced) await this.#deps.outOfService.withdraw(name);
    this.#states.set(name, plan.to);
    await writeNodeStates(this.#layout.paths, this.#states);
    this.#deps.log.info("node action", { node: name, action });
    if (plan.losesPower) await this.#powerOff(node);
    if (plan.to.fenced) await this.#deps.outOfService.vouch(name);
    if (plan.to.power === "off") return;
    await setLink(nodeAddresses(this.#layout.spec, node), plan.to.link);
    if (before.power === "off" || plan.losesPower) await this.#bringUpNode(node);
    else await this.#keep();
  }

  /** All processes of a node fail at the same time, without a clean end, and its cable is cut. */
  async #powerOff(node: NodeSpec): Promise<void> {
    const { spec } = this.#layout;
    this.#provisioned.delete(node.name);
    this.#containerds.delete(node.name);
    this.#served.delete(node.name);
    this.#keeper.abandon([...nodePrograms.map((each) => nodeProcessId(each, node)), `containerd@${node.name}`]);
    await setLink(nodeAddresses(spec, node), "down");
    await killCgroup(this.#deps.clock, nodeCgroup(spec, node));
    await this.#deps.provisioner.forgetBoot(node);
    await this.#keep();
  }

  async #bringUp(signal: AbortSignal): Promise<void> {
    const { provisioner } = this.#deps;
    const images = this.#step("images", () => provisioner.images());
    await Promise.all([
      this.#step("certificates", () => provisioner.files()),
      this.#step("network", () => provisioner.bridge()),
    ]);
    const controlPlane = this.#step("control plane", () => this.#bringUpControlPlane());
    await images;
    await Promise.all([controlPlane, ...this.#layout.spec.nodes.map((node) => this.#bringUpNode(node))]);
    this.#settled = true;
    await this.#keep();
    void this.#startAfterNodes();
    const { spec } = this.#layout;
    for (const each of this.#deps.objects) if (each.when(spec)) void provideObjects(this.#deps, each, signal);
    if (this.#layout.spec.egress !== false) await this.#openEgress();
  }

  async #bringUpControlPlane(): Promise<void> {
    if (this.#layout.spec.servers !== undefined) {
      await this.#servers.bringUp();
      this.#apiServed = true;
      return await this.#keep();
    }
    const placement = hostPlacement(this.#layout);
    this.#controlPlane = controlComponents(this.#layout, placement, ["placement", "stores"]);
    await this.#keep();
    // The other processes have to wait for the API server, and would only compete with it for the
    // CPU.
    await this.#deps.provisioner.apiServes(apiWaitMs);
    this.#controlPlane = controlComponents(this.#layout, placement);
    this.#apiServed = true;
    await this.#keep();
  }

  /** Pods without claims do not wait for these programs. */
  async #startAfterNodes(): Promise<void> {
    const { provisioner } = this.#deps;
    const on = this.#layout.spec.nodes.filter(({ name }) => this.#provisioned.has(name));
    await Promise.all(on.map((node) => provisioner.kubeletServes(node, kubeletWaitMs)));
    this.#nodesServe = true;
    await this.#keep();
  }

  /**
   * This is the last step, and its failure is not fatal, because a cluster can work without access
   * beyond its host.
   */
  async #openEgress(): Promise<void> {
    try {
      await this.#deps.provisioner.egress();
    } catch (error) {
      const warning = "nodes and pods reach this host only, so images of other registries cannot be pulled";
      this.#deps.log.warn(warning, { error });
      this.#warnings.push(`${warning}: ${(error as Error).message}`);
    }
  }

  async #bringUpNode(node: NodeSpec): Promise<void> {
    const { provisioner } = this.#deps;
    const state = this.#states.get(node.name) ?? healthyNode;
    await this.#step(`node ${node.name}`, async () => {
      const containerd = await provisioner.node(node, { linkUp: state.link === "up" });
      if (state.power === "off") return;
      this.#containerds.set(node.name, containerd);
      await this.#keep();
      await provisioner.importImages(node);
      this.#provisioned.add(node.name);
      await this.#keep();
      void this.#startAfterKubelet(node);
    });
  }

  /**
   * Pods can be created without these programs, so the steps do not wait for them, and they do not
   * compete with the node's start for the CPU.
   */
  async #startAfterKubelet(node: NodeSpec): Promise<void> {
    await this.#deps.provisioner.kubeletServes(node, kubeletWaitMs);
    // The node may have lost its power in the meantime.
    if (!this.#provisioned.has(node.name)) return;
    this.#served.add(node.name);
    await this.#keep();
  }

  /** Makes exactly the wanted processes run. */
  #keep(): Promise<void> {
    const { spec } = this.#layout;
    const may = { "control plane": this.#apiServed, nodes: this.#nodesServe };
    const onHost = hostPrograms.filter(({ after, when }) => may[after] && when(spec));
    const wanted = [
      ...this.#servers.wanted(),
      ...this.#controlPlane,
      ...onHost.map((program) => hostComponent(this.#layout, program)),
    ];
    for (const node of spec.nodes) {
      const containerd = this.#containerds.get(node.name);
      if (containerd) wanted.push(containerd);
      for (const program of nodePrograms)
        if (program.when(spec) && this.#mayRun(program, node)) wanted.push(nodeComponent(this.#layout, program, node));
    }
    // A later pass may want a component that this pass does not want yet, so adopted processes
    // continue to run until everything is up.
    return this.#keeper.want(wanted, { stopOthers: this.#settled });
  }

  #mayRun(program: NodeProgram, node: NodeSpec): boolean {
    const isProvisioned = this.#provisioned.has(node.name);
    if (program === kubeletProgram)
      return isProvisioned && (this.#states.get(node.name)?.kubelet ?? "running") === "running";
    switch (program.after) {
      case "images":
        return isProvisioned;
      case "kubelet":
        return this.#served.has(node.name);
      case "nodes":
        return isProvisioned && this.#nodesServe;
    }
  }

  async #step(name: string, work: () => Promise<void>): Promise<void> {
    const startedMs = this.#deps.clock.monotonicMs();
    const tookMs = () => Math.round(this.#deps.clock.monotonicMs() - startedMs);
    try {
      await work();
      this.#steps.push({ name, tookMs: tookMs() });
    } catch (error) {
      this.#deps.log.error("step failed", { step: name, error });
      this.#steps.push({ name, tookMs: tookMs(), error: (error as Error).message });
      throw error;
    }
  }

  #nodeNamed(name: string): NodeSpec {
    return refusing(() => findNode(this.#layout.spec, name));
  }
}

/** @throws Refused if the cluster's description does not allow the user's request. */
function refusing<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InvalidSpec) throw new Refused(error.message, { cause: error });
    throw error;
  }
}

/** `refusing` for a request that takes time. */
async function refusingLater<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return refusing(() => {
      throw error;
    });
  }
}
