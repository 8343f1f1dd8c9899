import { rename, rm } from "node:fs/promises";
import { pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { startCriProxy } from "@kintsugi/cri/testing";
import { type CallName, type RuntimeFaults, ScriptedFaults } from "@kintsugi/cri/simulated";
import { containerProcess, ctrOn, findNode, nodeCgroup, nodePaths, processesIn } from "@kintsugi/lab";
import { killNow, nameOf, signal } from "../cluster/processes.ts";
import { atOnce, between, type Fault, type Injected, nothingToUndo, pick, type World } from "./fault.ts";

/**
 * Faults between a kubelet and the containers of its node. containerd's own death is among the
 * kills.
 */
export const runtimeFaults: readonly Fault[] = [
  {
    name: "a container's process is killed",
    family: "runtime",
    lastsMs: atOnce,
    async inject({ cluster, random }) {
      const { items } = await cluster.client.list(pods, { namespace: "default" });
      const { metadata, spec, status } = pick(random, items);
      const id = status?.containerStatuses?.[0]?.containerID?.replace("containerd://", "");
      if (id === undefined || spec?.nodeName === undefined) return { notInjected: "the chosen pod does not run yet" };
      const pid = await containerProcess(ctrOn(cluster.known, findNode(cluster.known.spec, spec.nodeName)), id);
      await killNow(pid);
      return { onto: `pod ${metadata.name}`, undo: nothingToUndo };
    },
  },
  {
    name: "the shims of a node's containers are killed",
    family: "runtime",
    lastsMs: atOnce,
    async inject({ cluster, random }) {
      const { spec } = cluster.known;
      const node = pick(random, cluster.nodeNames);
      const pids = await processesIn(nodeCgroup(spec, findNode(spec, node)));
      const shims = pids.filter((pid) => nameOf(pid).startsWith("containerd-shim"));
      if (shims.length === 0) return { notInjected: `${node} runs no container` };
      for (const pid of shims) signal(pid, "SIGKILL");
      return { onto: `${shims.length} shims of ${node}`, undo: nothingToUndo };
    },
  },
  criFault("calls of a container runtime fail", (faults, call, random) =>
    faults.refuse(call, { times: between(random, { min: 1, max: 3 }) }),
  ),
  criFault("answers of a container runtime are lost", (faults, call, random) =>
    faults.loseAnswer(call, { times: between(random, { min: 1, max: 2 }) }),
  ),
  criFault("calls of a container runtime hang", (faults, call) => faults.hang(call, { times: 1 })),
  criFault("a container runtime is slow", (faults, call) => faults.delay(call, 1_500)),
  {
    name: "a kubelet dies around a call of its container runtime",
    family: "runtime",
    lastsMs: atOnce,
    alone: true,
    async inject(world) {
      const when = pick(world.random, ["before", "after"] as const);
      let callsLeft = between(world.random, { min: 1, max: 5 });
      let died: string | undefined;
      const injected = await withProxy(world, (kill) => ({
        async [when]({ name }: { name: CallName }) {
          if (!changing.includes(name) || --callsLeft !== 0) return;
          await kill();
          died = `${when} ${name}`;
        },
      }));
      if (!("onto" in injected)) return injected;
      const deadlineMs = performance.now() + reachMaxMs;
      while (died === undefined && performance.now() < deadlineMs) {
        await pause(betweenStirsMs);
        if (died === undefined) await world.stir();
      }
      if (died !== undefined) return { ...injected, onto: `${injected.onto}, ${died}` };
      await injected.undo();
      return { notInjected: "the kubelet did not come to that call" };
    },
  },
];

/**
 * Pods are repeatedly created and deleted in the meantime, on this node or another node. Each pod
 * causes several calls.
 */
const reachMaxMs = 15_000;
const betweenStirsMs = 1_500;

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/** The calls that change the node. */
const changing: readonly CallName[] = [
  "runPodSandbox",
  "createContainer",
  "startContainer",
  "stopContainer",
  "stopPodSandbox",
  "removeContainer",
  "removePodSandbox",
];
const reading: readonly CallName[] = ["listPodSandboxes", "listContainers", "containerStatus", "podSandboxStatus"];

function criFault(
  name: string,
  plan: (faults: ScriptedFaults, call: CallName, random: World["random"]) => void,
): Fault {
  return {
    name,
    family: "runtime",
    lastsMs: { min: 4_000, max: 10_000 },
    alone: true,
    async inject(world) {
      const faults = new ScriptedFaults(systemClock);
      for (const call of [...changing, ...reading]) if (world.random.integer(2) === 0) plan(faults, call, world.random);
      return withProxy(
        world,
        () => faults,
        async () => faults.clear(),
      );
    },
  };
}

/**
 * Replaces a node's containerd socket by a proxy. The kubelet has to be killed once, because it
 * would keep its connection. When the proxy is removed, the kubelet reconnects to containerd
 * itself.
 */
async function withProxy(
  world: World,
  faults: (killKubelet: () => Promise<void>) => RuntimeFaults,
  onUndo: () => Promise<void> = nothingToUndo,
): Promise<Injected> {
  const { cluster, random } = world;
  const node = pick(random, cluster.nodeNames);
  const socket = nodePaths(cluster.known.paths, findNode(cluster.known.spec, node)).containerdSocket;
  const aside = `${socket}.real`;
  const killKubelet = async () => killNow(await cluster.pid(`kubelet@${node}`));
  await rename(socket, aside);
  const proxy = await startCriProxy(
    { clock: systemClock, random: systemRandom },
    { upstreamEndpoint: `unix://${aside}`, socketPath: socket, faults: faults(killKubelet) },
  ).catch(async (error: unknown) => {
    await rename(aside, socket);
    throw error;
  });
  const undo = async () => {
    await onUndo();
    await proxy.close();
    await rm(socket, { force: true });
    await rename(aside, socket);
  };
  await killKubelet();
  await world.stir();
  return { onto: node, undo };
}
