import { deployments, eviction, isApiError, nodes, memoryBytes, pods, replicaSets, statefulSets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { createControlClient, fillMemory, findNode, type KnownCluster, type NodeState, Refused } from "@kintsugi/lab";
import { type ContainerName, killContainer, runningContainer } from "../base/running-container.ts";
import { isMarkedByDrain } from "../drain/drain-conditions.ts";
import { cordon, drainNode, reportStep } from "../drain/drain-node.ts";
import type { LabAction } from "./lab-action.ts";

/**
 * The lab of this host behind the page: its machines, and a client with the administrator's rights.
 */
export interface Lab {
  /** The state of each machine; undefined while the supervisor is not running. */
  status(): Promise<Readonly<Record<string, NodeState>> | undefined>;
  /**
   * Performs an action, and returns a sentence about the result. Faults of machines are sent to the
   * supervisor's socket and containers' processes get a signal, so the API server is not needed.
   * @throws Error with a sentence when the action is invalid now.
   */
  act(action: LabAction): Promise<string>;
}

export interface LabDeps {
  readonly cluster: KnownCluster;
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A drain that is rejected ends immediately; other drains continue after the answer. */
const drainRefusalMs = 2_000;
/** Limit on concurrent drains: a page that drains every node of a large lab does so by mistake. */
const drainsMax = 16;

const workloads = { Deployment: deployments, StatefulSet: statefulSets, ReplicaSet: replicaSets } as const;

export function createLab(deps: LabDeps): Lab {
  const control = createControlClient(deps.cluster.paths.supervisorSocket);
  const draining = new Set<string>();
  return {
    status: async () => (await control.status())?.nodes,
    async act(action) {
      switch (action.is) {
        case "node": {
          findNode(deps.cluster.spec, action.node);
          const status = await control.act(action.node, action.action);
          if (status === undefined) throw new Refused("the supervisor of the cluster is not running");
          return `${action.node}: ${action.action} is done.`;
        }
        case "cordon":
        case "uncordon":
          return cordoned(deps, action.node, action.is === "cordon");
        case "drain":
          return drained(deps, action.node, draining);
        case "crash":
          await killContainer(deps, action);
          return `Container ${action.container} of ${action.pod} was killed.`;
        case "fill-memory":
          return filled(deps, action);
        case "delete":
          await deps.client.delete(pods, { namespace: action.namespace, name: action.pod });
          return `${action.pod} is being deleted.`;
        case "evict":
          return evicted(deps, action);
        case "scale": {
          const { kind, namespace, name, replicas } = action;
          const patch = { type: "merge", body: { spec: { replicas } } } as const;
          await deps.client.patch(workloads[kind] as typeof deployments, { namespace, name }, patch);
          return `${name} wants ${replicas} ${replicas === 1 ? "pod" : "pods"} now.`;
        }
      }
    },
  };
}

function drainDeps({ cluster, client, clock, signal }: LabDeps) {
  return { client, clock, signal, say: () => {}, way: { name: cluster.spec.name } };
}

async function cordoned(deps: LabDeps, name: string, unschedulable: boolean): Promise<string> {
  const node = await deps.client.get(nodes, { namespace: "", name });
  await cordon(drainDeps(deps), node, unschedulable);
  if (!unschedulable && isMarkedByDrain(node)) {
    const report = { name, step: "uncordoned" as const, message: "The node is schedulable again." };
    await reportStep(drainDeps(deps), { ...report, options: { reportConditions: true } });
  }
  return unschedulable ? `${name} is cordoned.` : `${name} is schedulable again.`;
}

async function drained(deps: LabDeps, name: string, draining: Set<string>): Promise<string> {
  if (draining.has(name)) throw new Refused(`${name} is already being drained`);
  if (draining.size >= drainsMax) throw new Refused(`${drainsMax} nodes are already being drained`);
  draining.add(name);
  const work = drainNode(drainDeps(deps), name, {
    ignoreDaemonSets: true,
    deleteEmptyDirData: false,
    force: false,
    gracePeriodSeconds: undefined,
    timeoutMs: undefined,
    podSelector: undefined,
    dryRun: "none",
    reportConditions: true,
  }).finally(() => draining.delete(name));
  const waited = deps.clock.sleep(drainRefusalMs, deps.signal).then(() => "goes on" as const);
  const result = await Promise.race([work.then(() => "done" as const), waited]);
  // The node's conditions show the result.
  work.catch(() => {});
  return result === "done" ? `${name} is drained.` : `${name} is being drained; its conditions show how it ends.`;
}

/** Deletes a pod as drains do: only if its budget allows the deletion. */
async function evicted({ client }: LabDeps, { namespace, pod }: { namespace: string; pod: string }): Promise<string> {
  const body = { apiVersion: "policy/v1", kind: eviction.kind, metadata: { namespace, name: pod } };
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/eviction`;
  try {
    await client.call({ method: "POST", path, body });
  } catch (error) {
    if (!isApiError(error, "TooManyRequests")) throw error;
    throw new Refused(`${pod} is not evicted: ${error.message}`, { cause: error });
  }
  return `${pod} is evicted because its budget allows the eviction.`;
}

/**
 * Fills the memory of a container up to its limit. A container without a limit would fill this
 * host's memory.
 */
async function filled(deps: LabDeps, action: ContainerName): Promise<string> {
  const { pid, spec } = await runningContainer(deps, action);
  const limit = spec?.resources?.limits?.["memory"];
  if (limit === undefined)
    throw new Refused(`container ${action.container} of ${action.pod} has no memory limit that could be reached`);
  await fillMemory(deps.clock, pid, memoryBytes(String(limit)));
  return `The memory of container ${action.container} of ${action.pod} was filled up to its limit of ${String(limit)}.`;
}
