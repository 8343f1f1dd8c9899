import {
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplateSpec,
  type StatefulSet,
} from "@kintsugi/api";
import { wasGivenUp } from "../../shared/given-up-pods.ts";
import { isStaleClaim, type Member } from "./claim-owners.ts";
import {
  claimNameOf,
  countOrdinals,
  hasIdentity,
  isInRange,
  ordinalOf,
  podFromRevision,
  podNameOf,
  revisionNameOf,
  startOrdinal,
} from "./identity.ts";

/** A ControllerRevision by name, with the template that it records. */
interface NamedTemplate {
  name: string;
  template: PodTemplateSpec;
}

export interface ObservedSet {
  set: StatefulSet;
  /** All pods of the set, each with its ordinal. */
  members: readonly Member[];
  /**
   * The revision of pods that an update has not reached, and the revision of the present template.
   */
  current: NamedTemplate;
  update: NamedTemplate;
  findClaim: (name: string) => PersistentVolumeClaim | undefined;
}

export type PodAction =
  | { do: "create"; ordinal: number; pod: Pod }
  /** The pod has ended, is superfluous, or has an old revision. */
  | { do: "delete"; member: Member; for: "restart" | "scale" | "update" }
  /** The pod waits for claims that are missing. */
  | { do: "claims"; member: Member }
  /** The pod lacks its label or its claims. */
  | { do: "identity"; member: Member };

export interface OrdinalPlan {
  /** The steps, in order; an OrderedReady set plans one step and waits for its result. */
  actions: PodAction[];
  /** A claim blocks this pod, until the garbage collector has deleted it. */
  blockedByClaim?: string;
}

// The steps of a pass, as upstream's updateStatefulSet:
//
//   1. each wanted ordinal, ascending: an ended pod is deleted, a missing pod is created. An
//      OrderedReady set continues only past a pod that is available.
//   2. each ordinal beyond the wanted ordinals, descending: the pod is deleted. An OrderedReady set
//      deletes one pod at a time, and an unavailable pod only if no lower pod is unavailable.
//   3. RollingUpdate: pods of an old revision at or above the partition are deleted, descending, as
//      far as maxUnavailable allows. Step 1 of a later pass creates them again.

/**
 * Maximum number of pods that a Parallel set creates in one pass: upstream's BurstReplicas of the
 * ReplicaSet. A user may set the number of replicas to 2^31-1, so a pass never lists all ordinals.
 */
const burstPods = 500;

/** One pass: the observed state, and the plan under construction. */
interface Pass {
  observed: ObservedSet;
  /** The wanted pods that exist, by ascending index, which counts from the first ordinal. */
  wanted: ReadonlyMap<number, Member>;
  /** The number of wanted pods, whether they exist or not. */
  wantedCount: number;
  plan: OrdinalPlan;
  nowMs: number;
}

/** Plans the next steps for the pods of a set. */
export function planOrdinals(observed: ObservedSet, nowMs: number): OrdinalPlan {
  const plan = planPass(observed, nowMs);
  const isLeft = (action: PodAction) => action.do === "delete" && wasGivenUp(action.member.pod);
  return { ...plan, actions: plan.actions.filter((action) => !isLeft(action)) };
}

function planPass(observed: ObservedSet, nowMs: number): OrdinalPlan {
  const { set } = observed;
  const plan: OrdinalPlan = { actions: [] };
  if (set.metadata.deletionTimestamp !== undefined) return plan;
  const pass: Pass = { observed, wanted: wantedMembers(observed), wantedCount: countOrdinals(set), plan, nowMs };
  const isMonotonic = set.spec?.podManagementPolicy !== "Parallel";
  for (const index of indexesToVisit(pass)) {
    if (planWanted(pass, index) && isMonotonic) return plan;
  }
  if (planCondemned(pass) && isMonotonic) return plan;
  if (set.spec?.updateStrategy?.type !== "OnDelete") planUpdate(pass);
  return plan;
}

function wantedMembers({ set, members }: ObservedSet): Map<number, Member> {
  const start = startOrdinal(set);
  const inRange = members.filter(({ ordinal }) => isInRange(set, ordinal));
  const ascending = inRange.toSorted((a, b) => a.ordinal - b.ordinal);
  return new Map(ascending.map((member) => [member.ordinal - start, member]));
}

/** The indexes of the existing pods and of the first missing pods, ascending. */
function* indexesToVisit({ wanted, wantedCount }: Pass): Generator<number> {
  let next = 0;
  let missing = 0;
  for (const index of [...wanted.keys(), wantedCount]) {
    for (; next < index && missing < burstPods; next++, missing++) yield next;
    if (index < wantedCount) yield index;
    next = index + 1;
  }
}

/** Plans one wanted ordinal; an OrderedReady set stops where this returns true. */
function planWanted(pass: Pass, index: number): boolean {
  const { observed, wanted, plan } = pass;
  const { set } = observed;
  const member = wanted.get(index);
  if (member === undefined) return planCreation(pass, index);
  const { pod, ordinal } = member;
  if (isPodTerminal(pod)) {
    if (!isTerminating(pod)) plan.actions.push({ do: "delete", member, for: "restart" });
    return true;
  }
  if (pod.status?.phase === "Pending" && !isTerminating(pod)) plan.actions.push({ do: "claims", member });
  if (isTerminating(pod)) return true;
  if (set.spec?.podManagementPolicy !== "Parallel" && isUnavailable(pass, pod)) return true;
  if (!hasIdentity(set, ordinal, pod)) plan.actions.push({ do: "identity", member });
  return false;
}

function planCreation({ observed, plan }: Pass, index: number): boolean {
  const { set, findClaim } = observed;
  const ordinal = startOrdinal(set) + index;
  const pod = podFromRevision(set, ordinal, revisionForIndex(observed, index));
  const podName = podNameOf(set, ordinal);
  const stale = (set.spec?.volumeClaimTemplates ?? [])
    .map((template) => findClaim(claimNameOf(set, template, ordinal)))
    .find((claim) => claim !== undefined && isStaleClaim(set, podName, claim));
  if (stale === undefined) plan.actions.push({ do: "create", ordinal, pod });
  else plan.blockedByClaim ??= stale.metadata.name ?? "";
  return true;
}

/** The revision with which a missing pod is created: upstream's newVersionedStatefulSetPod. */
function revisionForIndex({ set, current, update }: ObservedSet, index: number): NamedTemplate {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (rollingUpdate !== undefined) return index < (rollingUpdate.partition ?? 0) ? current : update;
  if (type !== "RollingUpdate") return update;
  return index < (set.status?.currentReplicas ?? 0) ? current : update;
}

/** Plans the pods beyond the wanted ordinals; returns whether an OrderedReady set stops there. */
function planCondemned(pass: Pass): boolean {
  const { observed, wanted, wantedCount, plan, nowMs } = pass;
  const { set, members } = observed;
  const condemned = members.filter(({ ordinal }) => !isInRange(set, ordinal)).toSorted((a, b) => b.ordinal - a.ordinal);
  if (set.spec?.podManagementPolicy === "Parallel") {
    const lasting = condemned.filter(({ pod }) => !isTerminating(pod));
    plan.actions.push(...lasting.map((member) => ({ do: "delete", member, for: "scale" }) as const));
    return false;
  }
  const [first] = condemned;
  if (first === undefined) return false;
  const present = [...wanted.values(), ...condemned.toReversed()];
  const isWhole = wanted.size === wantedCount;
  const unavailable = isWhole ? present.find(({ pod }) => isUnavailable(pass, pod)) : undefined;
  const mayGo = isPodAvailable(first.pod, set.spec?.minReadySeconds ?? 0, nowMs) || unavailable === first;
  if (!isTerminating(first.pod) && mayGo) plan.actions.push({ do: "delete", member: first, for: "scale" });
  return true;
}

/** Plans the deletion of pods that a rolling update replaces. */
function planUpdate(pass: Pass): void {
  const { observed, wanted, wantedCount, plan } = pass;
  const { set, update } = observed;
  const { partition = 0, maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const going = new Set(plan.actions.flatMap((action) => (action.do === "delete" ? [action.member] : [])));
  const isLost = (member: Member) => going.has(member) || isUnavailable(pass, member.pod);
  const lostCount = wantedCount - wanted.size + [...wanted.values()].filter(isLost).length;
  let room = roomForUpdate(maxUnavailable, wantedCount) - lostCount;
  let expected = wantedCount - 1;
  for (const [index, member] of [...wanted].toReversed()) {
    // A missing pod of a higher ordinal is created first if maxUnavailable is absent.
    if (index < partition || (maxUnavailable === undefined && index !== expected)) return;
    expected = index - 1;
    const isOld = !isTerminating(member.pod) && revisionNameOf(member.pod) !== update.name;
    if (isOld && !going.has(member)) {
      // A pod that is not available does not use up maxUnavailable, so a broken revision is
      // replaced.
      if (maxUnavailable !== undefined && !isLost(member) && room-- <= 0) continue;
      plan.actions.push({ do: "delete", member, for: "update" });
      if (maxUnavailable === undefined) return;
    } else if (maxUnavailable === undefined && isLost(member)) return;
  }
}

/** A percentage is rounded down, and at least one pod may be unavailable: upstream's rule. */
function roomForUpdate(maxUnavailable: number | string | undefined, replicas: number): number {
  if (maxUnavailable === undefined) return 1;
  const count =
    typeof maxUnavailable === "number"
      ? maxUnavailable
      : Math.floor((replicas * Number.parseInt(maxUnavailable, 10)) / 100);
  return Math.max(1, count);
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isUnavailable({ observed: { set }, nowMs }: Pass, pod: Pod): boolean {
  const isRunning = pod.status?.phase === "Running" && isPodReady(pod);
  return isTerminating(pod) || !isRunning || !isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);
}

/** The set's pods with their ordinals; a pod with any other name does not belong to the set. */
export function membersOf(set: StatefulSet, pods: readonly Pod[]): Member[] {
  return pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined ? [] : [{ pod, ordinal }];
  });
}
