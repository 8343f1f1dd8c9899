import type { NodeColumns } from "../cluster-state/columns/node-columns.ts";
import type { RejectedRows } from "../cluster-state/columns/rejected-rows.ts";
import { type ResourceAmounts, resourceAmounts } from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { ClusterEvent } from "../cluster-state/cluster-event.ts";
import type { RejectionReason } from "../framework/rejection-reason.ts";
import { type Plugin, scoreMax } from "../framework/plugin.ts";
import { fits, type Verdict } from "../framework/verdict.ts";

/**
 * The requests of a node's pods together must fit the node's resources. The emptier node scores
 * higher.
 */
export const resourcesFit: Plugin = {
  name: "NodeResourcesFit",
  filterReads: "node and its pods",
  filter: ({ requests }) => {
    const wanted = Object.entries(requests).filter(([, amount]) => amount !== 0);
    const shortages = new Map<number, Verdict>();
    return {
      check: (node) => (hasRoom(wanted, node) ? fits : shortage(wanted, node, shortages)),
      checkWith: (node, others) => {
        const fuller = roomWith(wanted, node, others);
        return hasRoom(wanted, fuller) ? fits : shortage(wanted, fuller, shortages);
      },
      rejectRows: (columns, rejected) => rejectFullRows(wanted, columns, rejected),
    };
  },
  score: {
    weight: 1,
    prepare: ({ scoringRequests }) => {
      const [cpu, memory] = [scoringRequests["cpu"] ?? 0, scoringRequests["memory"] ?? 0];
      return {
        score: (node) => leastAllocated(node, cpu, memory),
        scoreRows: (columns, rows, scores) => scoreRows({ columns, rows, scores }, cpu, memory),
      };
    },
  },
  mayHelp: (pod, event) => freesResources(pod, event),
};

type Wanted = readonly (readonly [resource: string, amount: number])[];

type Room = Pick<NodeInfo, "allocatable" | "requested" | "podCount">;

/** The free amounts of the requested resources once these pods are also on the node. */
function roomWith(wanted: Wanted, node: NodeInfo, others: readonly PodInfo[]): Room {
  const { allocatable, podCount } = node;
  const requested: ResourceAmounts = {};
  for (const [name] of wanted) {
    let amount = node.requested[name] ?? 0;
    for (const { requests } of others) amount += requests[name] ?? 0;
    requested[name] = amount;
  }
  return { allocatable, requested, podCount: podCount + others.length };
}

/** Most nodes have room, so shortages are not collected for them. */
function hasRoom(wanted: Wanted, { allocatable, requested, podCount }: Room): boolean {
  if (podCount + 1 > (allocatable["pods"] ?? 0)) return false;
  for (const [name, amount] of wanted) {
    if (amount > (allocatable[name] ?? 0) - (requested[name] ?? 0)) return false;
  }
  return true;
}

/** Does the same as `hasRoom` for each row. */
function rejectFullRows(wanted: Wanted, columns: NodeColumns, rejected: RejectedRows): void {
  const { whole, taken } = columns.pods;
  for (let row = 0; row < columns.limit; row++)
    if ((taken[row] as number) + 1 > (whole[row] as number)) rejected.add(row);
  for (const [name, amount] of wanted) {
    const resource = columns.resource(name);
    const [wholeOf, takenOf] = [resource.whole, resource.taken];
    for (let row = 0; row < columns.limit; row++)
      if (amount > (wholeOf[row] as number) - (takenOf[row] as number)) rejected.add(row);
  }
}

/**
 * Limit of resources, above the number that a pod requests, and at most the number of bits of an
 * integer.
 */
const countedShortagesMax = 15;

/** Most nodes lack the same resources, so the same verdict is one object, which `known` keeps. */
function shortage(wanted: Wanted, node: Room, known: Map<number, Verdict>): Verdict {
  if (wanted.length > countedShortagesMax) return newShortage(wanted, node);
  const { allocatable, requested, podCount } = node;
  let lacks = podCount + 1 > (allocatable["pods"] ?? 0) ? 1 : 0;
  for (let i = 0; i < wanted.length; i++) {
    const [name, amount] = wanted[i] as Wanted[number];
    const whole = allocatable[name] ?? 0;
    if (amount > whole - (requested[name] ?? 0)) lacks |= (amount > whole ? 3 : 1) << (2 * i + 1);
  }
  let verdict = known.get(lacks);
  if (verdict === undefined) known.set(lacks, (verdict = newShortage(wanted, node)));
  return verdict;
}

function newShortage(wanted: Wanted, { allocatable, requested, podCount }: Room): Verdict {
  const because: RejectionReason[] = [];
  let evictionMayHelp = true;
  if (podCount + 1 > (allocatable["pods"] ?? 0)) because.push({ code: "TooManyPods" });
  for (const [name, amount] of wanted) {
    const whole = allocatable[name] ?? 0;
    if (amount <= whole - (requested[name] ?? 0)) continue;
    because.push({ code: "Insufficient", resource: name });
    // The pod requests more than the node's total, so evictions do not help.
    if (amount > whole) evictionMayHelp = false;
  }
  return { fits: false, because, evictionMayHelp };
}

/**
 * The free share of the node once the pod is on it (upstream's LeastAllocated); cpu and memory
 * count the same.
 */
function leastAllocated({ allocatable, scoringRequested }: NodeInfo, cpu: number, memory: number): number {
  const cpuScore = freeScore((scoringRequested["cpu"] ?? 0) + cpu, allocatable["cpu"] ?? 0);
  const memoryScore = freeScore((scoringRequested["memory"] ?? 0) + memory, allocatable["memory"] ?? 0);
  return meanOf(cpuScore, memoryScore);
}

interface ScoredRows {
  readonly columns: NodeColumns;
  readonly rows: Int32Array;
  readonly scores: Float64Array;
}

function scoreRows({ columns: { cpu, memory }, rows, scores }: ScoredRows, wantedCpu: number, wantedMemory: number) {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const cpuScore = freeScore((cpu.scored[row] as number) + wantedCpu, cpu.whole[row] as number);
    const memoryScore = freeScore((memory.scored[row] as number) + wantedMemory, memory.whole[row] as number);
    scores[i] = meanOf(cpuScore, memoryScore);
  }
}

/** A resource that the node does not have is ignored. */
function meanOf(cpuScore: number, memoryScore: number): number {
  if (cpuScore < 0) return Math.max(0, memoryScore);
  return memoryScore < 0 ? cpuScore : Math.floor((cpuScore + memoryScore) / 2);
}

/** Returns -1 for a resource that the node does not have. */
function freeScore(requested: number, allocatable: number): number {
  if (allocatable === 0) return -1;
  return requested > allocatable ? 0 : Math.floor(((allocatable - requested) * scoreMax) / allocatable);
}

function freesResources({ requests, uid }: PodInfo, event: ClusterEvent): boolean {
  switch (event.is) {
    case "NodeAdd":
      return couldHold(event.node.status?.allocatable, requests);
    case "NodeUpdate":
      return event.changed.allocatable && couldHold(event.node.status?.allocatable, requests);
    case "AssignedPodDelete":
      // The node now has room for at least one more pod.
      return true;
    case "AssignedPodUpdate":
      return event.pod.uid !== uid && shrinks(event.pod.requests, event.before.requests, requests);
    default:
      return false;
  }
}

function couldHold(allocatable: Readonly<Record<string, string>> | undefined, requests: ResourceAmounts): boolean {
  const amounts = resourceAmounts(allocatable);
  if ((amounts["pods"] ?? 0) < 1) return false;
  return Object.entries(requests).every(([name, wanted]) => wanted <= (amounts[name] ?? 0));
}

function shrinks(now: ResourceAmounts, before: ResourceAmounts, wanted: ResourceAmounts): boolean {
  return Object.keys(wanted).some((name) => (now[name] ?? 0) < (before[name] ?? 0));
}
