import { isPodActive, type Pod, type ReplicaSet } from "@kintsugi/api";
import { isReady, parseValue, type PlannedFault, type Scenario, type ScenarioWorkload } from "@kintsugi/simulation";
import { runScenario, type ScenarioResult, type VirtualCluster } from "@kintsugi/simulator/factory";

const second = 1000;

/**
 * The outcome of a run: the counts of created and deleted objects, and its final state, apart from
 * names and times.
 */
interface Outcome {
  created: Readonly<Record<string, number>>;
  deleted: Readonly<Record<string, number>>;
  end: Readonly<Record<string, unknown>>;
  /** The total restarts of all containers. */
  restarts: number;
}

export interface PlanOutcome {
  result: ScenarioResult;
  outcome: Outcome;
  /**
   * The node that had most of the pods, and so most work. The random source chooses it: until a
   * fault happens, it is the same in every run.
   */
  busiestNode: string;
}

/** Another kind of workload on the same nodes, with time at the end for everything to complete. */
export function aRunOf(
  workload: ScenarioWorkload,
  { faults, durationMs, rebalance }: { faults: readonly PlannedFault[]; durationMs: number; rebalance?: true },
): Scenario {
  const plain = scaling([]);
  const world = { ...plain.world, ...(rebalance ? { rebalance } : {}) };
  return { ...plain, name: `run of ${workload.kind}`, workloads: [workload], faults, durationMs, world };
}

/**
 * A set that is scaled from 3 to 5 and then to 2, on two nodes, with time at the end for everything
 * to complete.
 */
export function scaling(faults: readonly PlannedFault[]): Scenario {
  const scale = (atMs: number, replicas: number): PlannedFault => ({
    fault: "scale",
    atMs,
    target: "web",
    with: { replicas },
  });
  return {
    name: "scaling",
    seed: 1,
    profile: "fast",
    mode: "safety",
    nodes: [{ name: "node-1" }, { name: "node-2" }],
    workloads: [{ name: "web", replicas: 3 }],
    durationMs: 30 * second,
    world: { bus: true, leaderElection: false, latencyMaxMs: 10 },
    faults: [...faults, scale(second, 5), scale(7 * second, 2)],
  };
}

const countedResources: readonly string[] = ["core/pods", "apps/replicasets", "core/nodes", "batch/jobs"];

/** Runs the scenario and counts. */
export async function runPlan(scenario: Scenario): Promise<PlanOutcome> {
  const created: Record<string, number> = {};
  const deleted: Record<string, number> = {};
  const nodeOfPod = new Map<string, string>();
  let cluster: VirtualCluster | undefined;
  const result = await runScenario(scenario, {
    observe: (starting) => {
      cluster = starting;
      starting.store.subscribe((changes) => {
        for (const { resource, type, before, entry } of changes) {
          if (resource === "core/pods" && type === "put") noteNode(parseValue<Pod>(entry.value), nodeOfPod);
          if (!countedResources.includes(resource)) continue;
          if (type === "delete") deleted[resource] = (deleted[resource] ?? 0) + 1;
          else if (before === undefined) created[resource] = (created[resource] ?? 0) + 1;
        }
      });
      return undefined;
    },
  });
  const { restarts, ...end } = endOf(cluster);
  return { result, outcome: { created, deleted, end, restarts }, busiestNode: mostFrequent([...nodeOfPod.values()]) };
}

function noteNode({ metadata, spec }: Pod, nodeOfPod: Map<string, string>): void {
  if (spec?.nodeName) nodeOfPod.set(metadata.uid ?? "", spec.nodeName);
}

function mostFrequent(values: readonly string[]): string {
  const countOf = (value: string) => values.filter((other) => other === value).length;
  const [most = ""] = values.toSorted((a, b) => countOf(b) - countOf(a));
  return most;
}

function endOf(cluster: VirtualCluster | undefined): Record<string, unknown> & { restarts: number } {
  if (cluster === undefined) throw new Error("nobody was shown the cluster");
  const { store, nodes } = cluster;
  const list = <T>(prefix: string) => store.list(prefix).entries.map(({ value }) => parseValue<T>(value));
  const pods = list<Pod>("core/pods/default/");
  const [set] = list<ReplicaSet>("apps/replicasets/default/");
  const { replicas, readyReplicas, availableReplicas } = set?.status ?? {};
  return {
    pods: pods.length,
    active: pods.filter(isPodActive).length,
    ready: pods.filter(isReady).length,
    restarts: pods.reduce((sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 0), 0),
    status: { replicas, readyReplicas, availableReplicas },
    containers: nodes.reduce((sum, { runtime }) => sum + runtime.running().containers.length, 0),
    sandboxes: nodes.reduce((sum, { runtime }) => sum + runtime.running().sandboxes.length, 0),
  };
}
