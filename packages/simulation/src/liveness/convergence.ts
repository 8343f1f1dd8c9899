import {
  type HorizontalPodAutoscaler,
  type ApiObject,
  controllerOf,
  isPodActive,
  isPodTerminal,
  type Node,
  nodes,
  type Pod,
  type PodDisruptionBudget,
  pods,
  type ReplicaSet,
} from "@kintsugi/api";
import { RuntimeError } from "@kintsugi/cri";
import type { CommittedChange } from "@kintsugi/store";
import type { ScenarioWorkload } from "../scenario/scenario.ts";
import type { PodsAtRest, WorkloadKind } from "../workloads/workload-kind.ts";
import { kindOf, workloadKinds } from "../workloads/workload-kinds.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { podsOfBudget } from "../invariants/observed/budgeted-pods.ts";
import { downTaintOf, isOutOfService } from "../invariants/observed/down-taints.ts";
import { isReady, parseValue, storeResource } from "../committed-values.ts";
import { wrongAutoscalers } from "./autoscalers-agree.ts";
import { idleAttachments, ungrownClaims } from "./disks-agree.ts";
import { withoutLeader } from "./leaders.ts";
import { unfinishedSnapshots, unmodifiedClaims } from "./snapshots-agree.ts";
import { wrongSlices } from "./slices-agree.ts";
import { recordedMove } from "../invariants/observed/moves.ts";
import { nameOf } from "../invariants/observed/known-objects.ts";

/** The part of a cluster that has to recover. */
export interface Core {
  namespace: string;
  /** The workloads that should exist. */
  workloads: readonly Pick<ScenarioWorkload, "name" | "kind" | "autoscale">[];
  /** Nodes that remain in the state in which a fault has left them. */
  lostNodes: ReadonlySet<string>;
}

/** Lists the reasons why the core has not recovered; empty if the core has recovered. */
export async function notConverged(cluster: SimulatedCluster, core: Core): Promise<string[]> {
  const { namespace, workloads, lostNodes } = core;
  const wrong = withoutLeader(cluster);
  const { items: nodeList } = await cluster.client.list(nodes);
  for (const { name } of cluster.nodes) {
    if (lostNodes.has(name) || nodeList.some(({ metadata }) => metadata.name === name)) continue;
    wrong.push(`there is no node ${name}`);
  }
  for (const node of nodeList) {
    if (lostNodes.has(node.metadata.name ?? "")) {
      // A cluster that lost all its nodes has no such taint until it is clear which nodes have
      // recovered.
      if (!downTaintOf(node)) wrong.push(`node ${node.metadata.name} is lost and has no taint that evicts its pods`);
      continue;
    }
    if (!isReady(node)) wrong.push(`node ${node.metadata.name} is not Ready`);
    const taints = (node.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
    if (taints.length > 0) wrong.push(`node ${node.metadata.name} has taints ${taints.join()}`);
  }
  const { items: podList } = await cluster.client.list(pods, { namespace });
  // A pod that is being deleted on a lost node remains, because only its kubelet could confirm its
  // end.
  const isLost = (pod: Pod) => lostNodes.has(pod.spec?.nodeName ?? "");
  const inService = nodeList.filter((node) => !isOutOfService(node)).map(({ metadata }) => metadata.name ?? "");
  // Owners never have to wait for a node that a user has declared off.
  const waiting = waitingOwners(podList.filter((pod) => isLost(pod) && inService.includes(pod.spec?.nodeName ?? "")));
  const present = podList.filter(
    (pod) =>
      !isExcused(pod, { isLost: isLost(pod), waiting }) && (isPodActive(pod) || !(isLost(pod) || isLeftover(pod))),
  );
  let wanted = 0;
  for (const workload of workloads) {
    const kind = kindOf(workload);
    const object = await cluster.client.get(kind.type, { namespace, name: workload.name });
    if (waiting.has(object.metadata.uid ?? "")) continue;
    const living = inService.filter((name) => !lostNodes.has(name));
    // A lost node counts for its daemons or not, depending on its taints; running nodes always
    // count.
    wanted += kind.onLostNodes === "stays" ? living.length : kind.wantedPods(object);
  }
  if (present.length !== wanted) wrong.push(`there are ${present.length} pods, but ${wanted} are desired`);
  for (const pod of present) {
    if (lostNodes.has(pod.spec?.nodeName ?? "")) wrong.push(`pod ${pod.metadata.name} has not been replaced`);
    else if (!isPodActive(pod) || !isReady(pod)) wrong.push(`pod ${pod.metadata.name} is ${describe(pod)}`);
  }
  const podLists = { all: podList, present, nodes: inService, lostNodes };
  wrong.push(...unsettledWorkloads(cluster, namespace, { ...podLists, waiting }));
  wrong.push(...(await wrongAutoscalers(cluster, namespace, workloads)));
  wrong.push(...wrongBudgets(cluster, namespace, podList));
  wrong.push(...idleAttachments(cluster, { pods: podList, lostNodes }));
  wrong.push(...ungrownClaims(cluster, { pods: podList, lostNodes }));
  wrong.push(...unfinishedSnapshots(cluster));
  wrong.push(...unmodifiedClaims(cluster));
  wrong.push(...unfinishedMoves(cluster, namespace));
  wrong.push(...wrongSlices(cluster, namespace, { pods: podList, nodes: nodeList }));
  for (const { name } of cluster.nodes) {
    if (!lostNodes.has(name)) wrong.push(...(await strayContainers(cluster, name, podList)));
  }
  return wrong;
}

/**
 * A pod that its kubelet has rejected, because the scheduler lacked a fact. Upstream leaves such a
 * pod for people to inspect, so it remains.
 */
function isLeftover({ metadata, status }: Pod): boolean {
  return status?.phase === "Failed" && status.reason !== undefined && metadata.deletionTimestamp === undefined;
}

/**
 * Workloads whose status differs from their pods, including workloads that other clients have
 * created.
 */
function unsettledWorkloads(
  { store }: SimulatedCluster,
  namespace: string,
  { waiting, ...podLists }: PodsAtRest & { waiting: ReadonlySet<string> },
): string[] {
  return Object.values(workloadKinds).flatMap((kind) => {
    const { entries } = store.list(`${storeResource(kind.type)}/${namespace}/`);
    const objects = entries.map(({ value }) => parseValue<ApiObject>(value));
    return objects
      .filter(({ metadata }) => !waiting.has(metadata.uid ?? ""))
      .flatMap((object) => kind.unsettled(object, podLists));
  });
}

/** UIDs of owners that wait until a lost node is known to be off. */
function waitingOwners(lost: readonly Pod[]): ReadonlySet<string> {
  return new Set(
    lost.flatMap((pod) => (ownerKindOf(pod)?.onLostNodes === "waits" ? [controllerOf(pod)?.uid ?? ""] : [])),
  );
}

/** True for pods whose owner waits, for daemons on lost nodes, and for finished work. */
function isExcused(pod: Pod, { isLost, waiting }: { isLost: boolean; waiting: ReadonlySet<string> }): boolean {
  const kind = ownerKindOf(pod);
  if (waiting.has(controllerOf(pod)?.uid ?? "")) return true;
  return (isLost && kind?.onLostNodes === "stays") || (isPodTerminal(pod) && kind?.ends === true);
}

function ownerKindOf(pod: Pod): WorkloadKind | undefined {
  const kind = controllerOf(pod)?.kind;
  return Object.values(workloadKinds).find(({ type }) => type.kind === kind);
}

/** Budgets whose status differs from their pods; evictions decrement the count in the status. */
function wrongBudgets({ store }: SimulatedCluster, namespace: string, podList: readonly Pod[]): string[] {
  const { entries } = store.list(`policy/poddisruptionbudgets/${namespace}/`);
  return entries.flatMap(({ value }) => {
    const budget = parseValue<PodDisruptionBudget>(value);
    const healthy = podsOfBudget(budget, podList).filter(
      (pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod),
    ).length;
    const { currentHealthy, desiredHealthy = 0, disruptionsAllowed } = budget.status ?? {};
    if (currentHealthy === healthy && disruptionsAllowed === Math.max(0, healthy - desiredHealthy)) return [];
    return [
      `budget ${budget.metadata.name} counts ${currentHealthy} healthy pods of ${healthy} and allows ${disruptionsAllowed} disruptions`,
    ];
  });
}

/** Containers without a pod, and pods without their container. */
async function strayContainers(cluster: SimulatedCluster, name: string, podList: readonly Pod[]): Promise<string[]> {
  // A node that was restarted in the run's last moments is down when this check begins.
  const running = await cluster.node(name).runtime.listContainers({ state: "running" }).catch(nothingWhenDown);
  if (running === undefined) return [`the runtime of ${name} is down`];
  const runningUids = running.map(({ labels }) => labels["io.kubernetes.pod.uid"] ?? "");
  const expected = podList.filter(
    (pod) => pod.spec?.nodeName === name && !isLeftover(pod) && !(isPodTerminal(pod) && ownerKindOf(pod)?.ends),
  );
  const uids = expected.map(({ metadata }) => metadata.uid ?? "");
  return [
    ...runningUids
      .filter((uid) => !uids.includes(uid))
      .map((uid) => `a container of ${uid} runs on ${name}, which has no such pod`),
    ...uids.filter((uid) => !runningUids.includes(uid)).map((uid) => `pod ${uid} has no container running on ${name}`),
    ...runningUids
      .filter((uid, index) => runningUids.indexOf(uid) < index)
      .map((uid) => `pod ${uid} runs twice on ${name}`),
  ];
}

function nothingWhenDown(error: unknown): undefined {
  if (!(error instanceof RuntimeError) || error.reason !== "unavailable") throw error;
}

function describe({ metadata, spec, status }: Pod): string {
  const container = status?.containerStatuses?.[0];
  const state = JSON.stringify(container?.state ?? {});
  const leaving = metadata.deletionTimestamp === undefined ? "" : " and terminating";
  return `${status?.phase} on "${spec?.nodeName ?? ""}"${leaving}, container ${state}`;
}

/**
 * Observes changes that an idle cluster does not make: anything except Leases, heartbeats and the
 * expiry of Events.
 */
export function watchForUnrest(cluster: SimulatedCluster): { stop: () => string[] } {
  const unrest: string[] = [];
  const stop = cluster.store.subscribe((changes) => {
    for (const change of changes)
      if (isUnrest(change)) unrest.push(`${change.type} ${change.entry.key}@${change.revision}`);
  });
  return {
    stop: () => {
      stop();
      return unrest;
    },
  };
}

function isUnrest({ resource, type, entry, before }: CommittedChange): boolean {
  if (resource === "coordination.k8s.io/leases") return false;
  if (resource.endsWith("/events") && type === "delete") return false;
  if (resource === "autoscaling/horizontalpodautoscalers" && type === "put" && before !== undefined)
    return sizes(entry.value) !== sizes(before.value);
  if (resource !== "core/nodes" || before === undefined || type === "delete") return true;
  return withoutHeartbeats(entry.value) !== withoutHeartbeats(before.value);
}

/** An autoscaler's conditions change with time alone, when a stabilization window ends. */
function sizes(value: Uint8Array): string {
  const { spec, status } = parseValue<HorizontalPodAutoscaler>(value);
  return JSON.stringify([spec, status?.currentReplicas, status?.desiredReplicas]);
}

function withoutHeartbeats(value: Uint8Array): string {
  const node = parseValue<Node>(value);
  const conditions = node.status?.conditions?.map((condition) => ({ ...condition, lastHeartbeatTime: undefined }));
  const metadata = { ...node.metadata, resourceVersion: undefined, managedFields: undefined };
  return JSON.stringify({ ...node, metadata, status: { ...node.status, conditions } });
}

const ownerResources = ["apps/replicasets", "core/replicationcontrollers", "apps/statefulsets"] as const;

/**
 * Lists the owners with a move that has begun and not ended. A set that a rollout has emptied
 * retains its record, and does not wait for a replacement.
 */
function unfinishedMoves({ store }: Pick<SimulatedCluster, "store">, namespace: string): string[] {
  return ownerResources
    .flatMap((resource) => store.list(`${resource}/${namespace}/`).entries)
    .map(({ value }) => parseValue<ApiObject & Pick<ReplicaSet, "spec">>(value))
    .filter((owner) => recordedMove(owner) !== "" && owner.spec?.replicas !== 0)
    .map((owner) => `the move of pod ${recordedMove(owner)} of ${nameOf(owner)} has not ended`);
}
