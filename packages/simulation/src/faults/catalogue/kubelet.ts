import type { CallName, RuntimeCall } from "@kintsugi/cri/simulated";
import { badRequest, pods } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import {
  allOf,
  armed,
  type Fault,
  namespace,
  pick,
  setting,
  alreadyOver,
  type Undo,
  word,
  wordsIn,
  type World,
} from "../fault.ts";
import { holdDown, killNow, nodeOf } from "../targets.ts";

/** The calls that have an effect, or whose result matters. */
const telling: readonly CallName[] = [
  "runPodSandbox",
  "stopPodSandbox",
  "removePodSandbox",
  "createContainer",
  "startContainer",
  "stopContainer",
  "removeContainer",
];

/** Faults of a node's kubelet while its containers continue to run. */
export const kubeletFaults: readonly Fault[] = [
  {
    name: "kill-kubelet",
    catalogue: ["F26"],
    sentence: "A kubelet is killed at any point in its work. Its containers continue to run.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && holdDown(world, node.kubelet);
    },
  },
  {
    name: "pause-kubelet",
    catalogue: ["F5"],
    sentence: "A kubelet is paused, as by SIGSTOP. Afterwards it receives everything that has accumulated.",
    target: "node",
    lasts: true,
    inject: (world, planned) => nodeOf(world, planned)?.kubelet.pause(),
  },
  {
    name: "kill-kubelet-at-call",
    catalogue: ["F4"],
    sentence:
      "Of a kubelet's calls that change the runtime's state, call number `call` is chosen, and the kubelet is killed before or after it.",
    target: "node",
    lasts: true,
    draw: (random) => ({ call: 1 + random.integer(8), moment: pick(random, ["before", "after"]) ?? "before" }),
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      let left = setting(planned, "call", 1);
      const strike = ({ name }: RuntimeCall) => {
        if (!telling.includes(name) || --left !== 0) return;
        stop();
        if (!node.kubelet.isRunning) return;
        world.reached(planned);
        killNow(world, node.kubelet);
      };
      const stop = node.calls.add(
        word(planned, "moment", "before") === "before" ? { before: strike } : { after: strike },
      );
      return armed(stop);
    },
  },
  {
    name: "kubelet-state-lost",
    catalogue: ["F26"],
    sentence: "A kubelet is killed and its files are lost. Its containers continue to run.",
    target: "node",
    lasts: true,
    inject: async (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const letGo = await holdDown(world, node.kubelet);
      await node.loseFiles();
      return letGo;
    },
  },
  {
    name: "force-delete-while-kubelet-down",
    catalogue: ["F27"],
    sentence: "While a kubelet is down, a user force-deletes the pods of its node.",
    target: "node",
    lasts: true,
    byUsers: true,
    inject: async (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const letGo: Undo = await holdDown(world, node.kubelet);
      const { client } = world.cluster;
      void (async () => {
        const { items } = await client.list(pods, { namespace });
        for (const { metadata, spec } of items) {
          if (spec?.nodeName !== node.name) continue;
          await client.delete(pods, { namespace, name: metadata.name ?? "" }, { gracePeriodSeconds: 0 });
        }
      })().catch(alreadyOver);
      return letGo;
    },
  },
];

const probeKinds: readonly string[] = ["readiness", "liveness", "startup"];

/** Faults of the kubelet's probes. */
export const probeFaults: readonly Fault[] = [
  {
    name: "probes-fail",
    catalogue: [],
    drawnApart: true,
    onlyByName: true,
    sentence:
      "The probes `probe` of the pod `pod` fail: readiness, liveness, startup, or several separated by commas. Without `probe` all probes fail, and without `pod` the probes of all pods on a node.",
    target: "node",
    lasts: true,
    settings: { pod: "default/web-0", probe: "readiness" },
    inject: (world, planned) => {
      const pod = word(planned, "pod", "");
      const kinds = kindsIn(planned);
      if (pod !== "" && !isThere(world, pod)) return undefined;
      const nodes = pod === "" || planned.target !== undefined ? [nodeOf(world, planned)] : world.cluster.nodes;
      const undos = nodes.flatMap(
        (node) =>
          node?.probes.add(
            ({ kind, namespace, podName }) => kinds.includes(kind) && (pod === "" || pod === `${namespace}/${podName}`),
          ) ?? [],
      );
      return undos.length === 0 ? undefined : allOf(undos);
    },
  },
];

/** @throws ApiError BadRequest */
function kindsIn(planned: PlannedFault): readonly string[] {
  const kinds = wordsIn(word(planned, "probe", probeKinds.join(",")));
  for (const kind of kinds)
    if (!probeKinds.includes(kind))
      throw badRequest(
        `with.probe: ${JSON.stringify(kind)} is not a kind of probe; the kinds are ${probeKinds.join(", ")}`,
      );
  return kinds;
}

/** @param pod "default/web-0" */
function isThere({ cluster }: World, pod: string): boolean {
  const key = `core/pods/${pod}`;
  return cluster.store.list(key).entries.some((entry) => entry.key === key);
}
