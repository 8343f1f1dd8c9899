import { controllerOf, type Eviction, nodes, pods, type Taint } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import { kindOf } from "../../workloads/workload-kinds.ts";
import { changeForAWhile } from "../change-for-a-while.ts";
import { allOf, type Fault, namespace, pick, setting, alreadyOver, type Undo, word, type World } from "../fault.ts";
import { holdDown, nodeOf } from "../targets.ts";

const second = 1000;

type DeleteOptions = NonNullable<Eviction["deleteOptions"]>;

/** The actions of a user with `kubectl` in the meantime. */
export const desiredChanges: readonly Fault[] = [
  {
    name: "delete-pod",
    catalogue: [],
    sentence: "A user deletes a pod.",
    target: "none",
    lasts: false,
    inject: (world) => deleteOne(world, {}),
  },
  {
    name: "force-delete-pod",
    catalogue: ["F27"],
    sentence: "A user force-deletes a pod, without waiting for its kubelet.",
    target: "none",
    lasts: false,
    inject: (world) => deleteOne(world, { gracePeriodSeconds: 0 }),
  },
  {
    name: "evict-pod",
    catalogue: [],
    sentence: "A user evicts a pod, which its PodDisruptionBudget may prevent.",
    target: "none",
    lasts: false,
    inject: async (world) => {
      const name = pick(world.random, (await world.cluster.client.list(pods, { namespace })).items)?.metadata.name;
      if (name === undefined) return undefined;
      await evict(world, name);
      return alreadyOver;
    },
  },
  {
    name: "scale",
    catalogue: [],
    sentence: "A user scales a workload to `replicas`.",
    target: "workload",
    lasts: false,
    draw: (random) => ({ replicas: random.integer(13) }),
    inject: async ({ cluster, random, scenario }, planned) => {
      const workload =
        scenario.workloads.find(({ name }) => name === planned.target) ?? pick(random, scenario.workloads);
      const kind = workload && kindOf(workload);
      const body = kind?.scaledTo?.(setting(planned, "replicas", 1));
      if (workload === undefined || kind === undefined || body === undefined) return undefined;
      await cluster.client.patch(kind.type, { namespace, name: workload.name }, { type: "merge", body });
      return alreadyOver;
    },
  },
  {
    name: "load",
    catalogue: [],
    sentence: "Clients request `millicores` more processor time from a workload, which its pods share.",
    target: "workload",
    lasts: true,
    drawnApart: true,
    isPossible: ({ workloads }) => workloads.some(({ autoscale }) => autoscale !== undefined),
    draw: (random) => ({ millicores: 100 * (1 + random.integer(12)) }),
    inject: ({ cluster, random, scenario }, planned) => {
      const possible = scenario.workloads.filter(({ autoscale }) => autoscale !== undefined);
      const workload = possible.find(({ name }) => name === planned.target) ?? pick(random, possible);
      return workload && cluster.loads.add(workload.name, setting(planned, "millicores", 500));
    },
  },
  {
    name: "suspend",
    catalogue: [],
    sentence: "A user suspends a CronJob, and resumes it later.",
    target: "workload",
    lasts: true,
    drawnApart: true,
    isPossible: ({ workloads }) => workloads.some((workload) => kindOf(workload).suspended !== undefined),
    inject: async ({ cluster, random, scenario }, planned) => {
      const possible = scenario.workloads.filter((workload) => kindOf(workload).suspended !== undefined);
      const workload = possible.find(({ name }) => name === planned.target) ?? pick(random, possible);
      if (workload === undefined) return undefined;
      const kind = kindOf(workload);
      const write = async (suspend: boolean) => {
        const body = kind.suspended?.(suspend) ?? {};
        await cluster.client.patch(kind.type, { namespace, name: workload.name }, { type: "merge", body });
      };
      return changeForAWhile(cluster.clock, { apply: () => write(true), undo: () => write(false) });
    },
  },
  {
    name: "delete-node",
    catalogue: [],
    sentence: "A user deletes a Node while its kubelet is down. The kubelet registers the Node again when it returns.",
    target: "node",
    lasts: true,
    inject: async (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const letGo = await holdDown(world, node.kubelet);
      void world.cluster.client.delete(nodes, { namespace: "", name: node.name }).catch(alreadyOver);
      return letGo;
    },
  },
  {
    name: "taint-node",
    catalogue: [],
    sentence: "A user taints a node with `effect`.",
    target: "node",
    lasts: true,
    draw: (random) => ({ effect: pick(random, ["NoSchedule", "NoExecute"]) ?? "NoSchedule" }),
    inject: async (world, planned) => {
      const taint: Taint = { key: "simulation.kintsugi.dev/tainted", effect: taintEffect(planned) };
      const others = (taints: readonly Taint[] = []) => taints.filter(({ key }) => key !== taint.key);
      return changeNode(world, planned, {
        apply: (spec) => ({ taints: [...others(spec.taints), taint] }),
        undo: (spec) => ({ taints: others(spec.taints) }),
      });
    },
  },
  {
    name: "drain",
    catalogue: [],
    sentence: "A user drains a node: new pods are not scheduled to it, and its pods are evicted.",
    target: "node",
    lasts: true,
    inject: (world, planned) => drain(world, planned),
  },
  {
    name: "drain-at-once",
    catalogue: [],
    sentence: "A user drains a node, and its pods have no grace period.",
    target: "node",
    lasts: true,
    drawnApart: true,
    inject: (world, planned) => drain(world, planned, { gracePeriodSeconds: 0 }),
  },
];

async function drain(world: World, planned: PlannedFault, deleteOptions?: DeleteOptions): Promise<Undo | undefined> {
  const node = nodeOf(world, planned);
  const uncordon = await changeNode(world, planned, {
    apply: () => ({ unschedulable: true }),
    undo: () => ({ unschedulable: false }),
  });
  if (!node || !uncordon) return undefined;
  return allOf([uncordon, evictAllOf(world, node.name, deleteOptions)]);
}

async function deleteOne(
  { cluster, random }: World,
  options: { gracePeriodSeconds?: number },
): Promise<Undo | undefined> {
  const { items } = await cluster.client.list(pods, { namespace });
  const name = pick(random, items)?.metadata.name;
  if (name === undefined) return undefined;
  await cluster.client.delete(pods, { namespace, name }, options);
  return alreadyOver;
}

async function evict({ cluster }: World, name: string, deleteOptions?: DeleteOptions): Promise<void> {
  const kind = { apiVersion: "policy/v1", kind: "Eviction" };
  const body: Eviction = { ...kind, metadata: { name, namespace }, ...(deleteOptions && { deleteOptions }) };
  await cluster.client.call({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body });
}

/** Tries again every few seconds, as `kubectl drain` does when a budget refuses the eviction. */
function evictAllOf(world: World, node: string, deleteOptions?: DeleteOptions): Undo {
  const { cluster } = world;
  let isOver = false;
  const round = async () => {
    const { items } = await cluster.client.list(pods, { namespace });
    // `kubectl drain` skips daemons because their controller would create them again on the node.
    for (const pod of items.filter((each) => controllerOf(each)?.kind !== "DaemonSet"))
      if (!isOver && pod.spec?.nodeName === node)
        await evict(world, pod.metadata.name ?? "", deleteOptions).catch(alreadyOver);
  };
  const again = () => {
    if (isOver) return;
    void round().catch(alreadyOver);
    cluster.clock.after(5 * second, again);
  };
  again();
  return () => {
    isOver = true;
  };
}

type SpecChange = (spec: { taints?: Taint[] | undefined }) => object;

/** Changes a Node, and changes it back when the API is reachable again. */
async function changeNode(
  world: World,
  planned: PlannedFault,
  change: { apply: SpecChange; undo: SpecChange },
): Promise<Undo | undefined> {
  const name = nodeOf(world, planned)?.name;
  if (name === undefined) return undefined;
  const { client, clock } = world.cluster;
  const write = async (how: SpecChange) => {
    const { metadata, spec } = await client.get(nodes, { namespace: "", name });
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion }, spec: how(spec ?? {}) };
    await client.patch(nodes, { namespace: "", name }, { type: "merge", body });
  };
  return changeForAWhile(clock, { apply: () => write(change.apply), undo: () => write(change.undo) });
}

function taintEffect(planned: PlannedFault): "NoExecute" | "NoSchedule" {
  return word(planned, "effect", "NoSchedule") === "NoExecute" ? "NoExecute" : "NoSchedule";
}
