import { type Fault, findFault, pick, type PlannedFault, alreadyOver, type World } from "@kintsugi/simulation";
import type { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";

/** The faults of the simulation that have the same meaning in every cluster. */
const shared = [
  "kill-node",
  "cut-node",
  "cut-node-outbound",
  "cut-node-inbound",
  "flap-node",
  "lose-zone",
  "lose-all-nodes",
  "grey-network",
  "kill-kubelet",
  "pause-kubelet",
  "runtime-away",
  "restart-runtime",
  "kill-service",
  "pause-service",
  "cut-service",
  "taint-node",
  "fence-node",
] as const;

/** A machine loses power without its kubelet detecting anything. */
const needNoKubelet: ReadonlySet<string> = new Set([
  "kill-node",
  "fence-node",
  "taint-node",
  "kill-service",
  "pause-service",
]);

/** The actions of users, which need the cluster's own namespaces. */
export interface OwnActions {
  /** Drains a node, and uncordons it when the fault is undone. */
  drain(node: string): () => void;
  deletePods(workload: string): Promise<void>;
}

/** The faults that a scenario of a rehearsal may name. */
export const rehearsedFaults: readonly Fault[] = [
  ...shared.flatMap((name) => findFault(name) ?? []),
  ...ownFaults({ drain: () => alreadyOver, deletePods: () => Promise.resolve() }),
];

/** The same fault for one run: the targets of the fault are awake, so that they can react. */
export function faultsOfRun(cluster: RehearsedCluster, actions: OwnActions): (name: string) => Fault | undefined {
  const own = ownFaults(actions);
  return (name) => {
    const deed = own.find((fault) => fault.name === name);
    const fault = shared.some((each) => each === name) ? findFault(name) : undefined;
    return deed ?? (fault && { ...fault, inject: (world, planned) => injected(fault, { cluster, world, planned }) });
  };
}

function injected(
  fault: Fault,
  { cluster, world, planned }: { cluster: RehearsedCluster; world: World; planned: PlannedFault },
): ReturnType<Fault["inject"]> {
  if (!needNoKubelet.has(fault.name))
    for (const name of concerned(fault, world, planned)) cluster.node(name).stayAwake();
  return fault.inject(world, planned);
}

/** All nodes if the plan leaves the choice to the random source. */
function concerned({ target }: Fault, { scenario, cluster }: World, planned: PlannedFault): string[] {
  const all = cluster.nodes.map(({ name }) => name);
  if (planned.target === undefined) return all;
  if (target === "zone")
    return scenario.nodes.filter(({ zone = "" }) => zone === planned.target).map(({ name }) => name);
  return all.filter((name) => name === planned.target);
}

function ownFaults(actions: OwnActions): readonly Fault[] {
  return [
    {
      name: "drain",
      catalogue: [],
      sentence: "A user drains a node as `kubectl drain` does, and uncordons it later.",
      target: "node",
      lasts: true,
      mayStay: true,
      inject: ({ random, cluster }, { target = pick(random, cluster.nodes)?.name }) =>
        target === undefined ? undefined : actions.drain(target),
    },
    {
      name: "delete-pods",
      catalogue: [],
      sentence: "A user deletes all pods of a workload at the same time.",
      target: "workload",
      lasts: false,
      inject: async ({ random, scenario }, { target = pick(random, scenario.workloads)?.name }) => {
        if (target === undefined) return undefined;
        await actions.deletePods(target);
        return alreadyOver;
      },
    },
  ];
}
