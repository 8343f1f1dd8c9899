import { type CallName, podCalls, ScriptedFaults, scriptRegistry } from "@kintsugi/cri/simulated";
import type { SimulatedNode } from "../../cluster.ts";
import type { PlannedFault } from "../../scenario/scenario.ts";
import { armed, choice, type Fault, pick, setting, alreadyOver, type Undo, word, type World } from "../fault.ts";
import { nodeOf } from "../targets.ts";

const second = 1000;

/** The calls that a kubelet makes all the time, and the calls for a pod that starts or stops. */
const calls: readonly CallName[] = ["status", ...podCalls];

/** Faults of a node's container runtime and of its containers. */
export const runtimeFaults: readonly Fault[] = [
  {
    name: "container-exits",
    catalogue: ["F23"],
    sentence:
      "A container exits with code `exitCode`: a container of the pod `pod`, or a container that the seed draws.",
    target: "node",
    lasts: false,
    settings: { pod: "default/web-0" },
    draw: (random) => ({ exitCode: random.integer(3) }),
    inject: (world, planned) =>
      onContainer(world, planned, ({ runtime }, id) =>
        runtime.exitContainer(id, { exitCode: setting(planned, "exitCode", 1) }),
      ),
  },
  {
    name: "oom-kill",
    catalogue: ["F23"],
    sentence:
      "The kernel kills a container because of its memory: a container of the pod `pod`, or a container that the seed draws.",
    target: "node",
    lasts: false,
    settings: { pod: "default/web-0" },
    inject: (world, planned) => onContainer(world, planned, ({ runtime }, id) => runtime.oomKillContainer(id)),
  },
  {
    name: "kill-sandbox",
    catalogue: ["F23"],
    sentence: "The process of a pod's sandbox is killed. Its containers continue to run.",
    target: "node",
    lasts: false,
    inject: (world, planned) => onSandbox(world, planned, ({ runtime }, id) => runtime.killSandbox(id)),
  },
  {
    name: "kill-shim",
    catalogue: ["F23"],
    sentence: "The shim of a pod is killed, with the sandbox and all its containers.",
    target: "node",
    lasts: false,
    inject: (world, planned) =>
      onSandbox(world, planned, ({ runtime }, sandbox) => {
        for (const { id, sandboxId } of runtime.running().containers)
          if (sandboxId === sandbox) runtime.exitContainer(id, { exitCode: 137 });
        runtime.killSandbox(sandbox);
      }),
  },
  {
    name: "runtime-away",
    catalogue: ["F22"],
    sentence: "A node's container runtime does not respond. Its containers continue to run.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && holdAway(world, node);
    },
  },
  {
    name: "restart-runtime",
    catalogue: ["F22"],
    sentence: "A node's container runtime is restarted, which takes less than a second.",
    target: "node",
    lasts: false,
    inject: async (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const letGo = await holdAway(world, node);
      world.cluster.clock.after(world.random.integer(second), () => void letGo());
      return alreadyOver;
    },
  },
  callFault({
    name: "runtime-call-hangs",
    sentence: "The next `times` calls `call` to a node's runtime get no response and have no effect.",
    plan: (faults, call, times) => faults.hang(call, { times }),
  }),
  callFault({
    name: "runtime-call-fails",
    sentence: "The next `times` calls `call` to a node's runtime fail without an effect.",
    plan: (faults, call, times) => faults.refuse(call, { times, reason: "failed" }),
  }),
  callFault({
    name: "runtime-call-slow",
    sentence: "The next `times` calls `call` to a node's runtime arrive 5 s later.",
    plan: (faults, call, times) => faults.delay(call, 5 * second, { times }),
  }),
  callFault({
    name: "runtime-answer-lost",
    sentence: "The next `times` calls `call` to a node's runtime are executed, but their responses are lost.",
    plan: (faults, call, times) => faults.loseAnswer(call, { times }),
  }),
  {
    name: "runtime-events-lost",
    catalogue: ["F24"],
    sentence: "The runtime's events do not reach the kubelet, which has to list the containers.",
    target: "node",
    lasts: true,
    inject: (world, planned) => nodeOf(world, planned)?.calls.add({ deliver: () => false }),
  },
  pullFault({
    name: "image-pull-fails",
    sentence: "The registry rejects every pull of a node, and the workloads' images are not on the node.",
    plan: (faults) => faults.refuse("pullImage", { reason: "failed" }),
  }),
  pullFault({
    name: "image-pull-slow",
    sentence: "Every pull of a node takes 20 s, and the workloads' images are not on the node.",
    plan: (faults) => faults.delay("pullImage", 20 * second),
  }),
];

function onContainer(
  world: World,
  planned: PlannedFault,
  act: (node: SimulatedNode, id: string) => void,
): Undo | undefined {
  const wanted = word(planned, "pod", "");
  const nodes = wanted === "" || planned.target !== undefined ? [nodeOf(world, planned)] : world.cluster.nodes;
  const possible = nodes.flatMap((node) =>
    (node?.runtime.running().containers ?? [])
      .filter(({ labels }) => wanted === "" || wanted === podOf(labels))
      .map(({ id }) => ({ node, id })),
  );
  const victim = pick(world.random, possible);
  if (victim?.node === undefined) return undefined;
  act(victim.node, victim.id);
  return alreadyOver;
}

/** "default/web-0" */
function podOf(labels: Readonly<Record<string, string>>): string {
  return `${labels["io.kubernetes.pod.namespace"] ?? ""}/${labels["io.kubernetes.pod.name"] ?? ""}`;
}

function onSandbox(
  world: World,
  planned: PlannedFault,
  act: (node: SimulatedNode, id: string) => void,
): Undo | undefined {
  const node = nodeOf(world, planned);
  const victim = node && pick(world.random, node.runtime.running().sandboxes);
  if (!node || victim === undefined) return undefined;
  act(node, victim);
  return alreadyOver;
}

function holdAway({ holds }: World, node: SimulatedNode): Promise<Undo> {
  return holds.hold(node.runtime, {
    down: () => node.setRuntimeAvailable(false),
    up: () => node.setRuntimeAvailable(true),
  });
}

interface CallFault {
  name: string;
  sentence: string;
  plan: (faults: ScriptedFaults, call: CallName, times: number) => void;
}

/** Faults of single calls, which apply to the kubelet's next calls. */
function callFault({ name, sentence, plan }: CallFault): Fault {
  return {
    name,
    catalogue: ["F24"],
    sentence,
    target: "node",
    lasts: true,
    draw: (random) => ({ call: pick(random, calls) ?? "status", times: 1 + random.integer(4) }),
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const call = choice(planned, "call", { among: calls, otherwise: "createContainer" });
      const scripted = new ScriptedFaults(world.cluster.clock);
      plan(scripted, call, setting(planned, "times", 1));
      let isMet = false;
      const stop = node.calls.add({
        before: (made) => {
          if (made.name === call && !isMet) world.reached(planned);
          isMet ||= made.name === call;
          return scripted.before(made);
        },
        after: (made) => scripted.after(made),
      });
      return armed(() => {
        stop();
        scripted.clear();
      });
    },
  };
}

interface PullFault {
  name: string;
  sentence: string;
  plan: (faults: ScriptedFaults) => void;
}

/** Faults of pulls, and an image to pull. */
function pullFault({ name, sentence, plan }: PullFault): Fault {
  return {
    name,
    catalogue: ["F25"],
    sentence,
    target: "node",
    lasts: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const { images } = node.runtime;
      for (const { id, repoTags } of images.list())
        if (repoTags.some((tag) => tag.startsWith(scriptRegistry))) images.remove(id);
      const scripted = new ScriptedFaults(world.cluster.clock);
      plan(scripted);
      const stop = node.calls.add(scripted);
      return () => {
        stop();
        scripted.clear();
      };
    },
  };
}
