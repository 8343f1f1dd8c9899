import { isPodActive, type Pod } from "@kintsugi/api";
import { type NodeInfo, podInfoOf, type Snapshot } from "@kintsugi/scheduling";
import { findUnrest } from "./unrest.ts";
import { findOwnerHold, type Hold, lasting } from "./judge-owner.ts";
import { judgePlace, type BetterPlace } from "./judge-place.ts";
import { byCost, findPodHold } from "./movable.ts";
import { markOfNodes } from "./nodes-mark.ts";
import { findRecord } from "./record.ts";
import { snapshotOf } from "./snapshot.ts";
import type { Owner, RebalanceOptions, RebalanceWorld } from "./world.ts";

// Plans at most one move, and only a move that makes the crowds smaller:
//
//   a move in progress? unrest? ──yes──► wait
//        │ no
//   owners with two pods more on a node than on another ──none──► nothing
//        │ the most crowded first
//   the owner and a pod may move, and the scheduler would place the pod better ──► move
//
// An owner with n pods on the pod's node and at most n - 2 on the new node has a smaller sum of
// squares of pods per node afterwards, and the sums of other owners do not change. So the moves
// come to an end, regardless of changed scores. A replacement on another node ends the owner's
// moves.

/**
 * Limit on crowds that are examined in one plan: each examination runs the scheduler's plugins on
 * every node twice.
 */
const judgementsMax = 50;

/**
 * One pod that is evicted from its node, and the node where the scheduler would place its
 * replacement.
 */
export interface RebalanceMove extends BetterPlace {
  readonly owner: Owner;
  readonly pod: Pod;
  readonly from: string;
  /** The number of the owner's pods on `from`. */
  readonly crowdBefore: number;
  /** A sentence for people. */
  readonly why: string;
}

/** A crowd that does not move, and the reason. */
export interface HeldCrowd {
  readonly owner: string;
  readonly node: string;
  readonly because: string;
  /** The reason ends with time. */
  readonly isPassing: boolean;
}

export type RebalancePlan =
  | { is: "move"; move: RebalanceMove; mark: string }
  | { is: "wait"; because: string; retryAfterMs?: number }
  | { is: "nothing"; held: readonly HeldCrowd[] };

/** `turn` increases with each plan, so that many crowds are examined in turn. */
export function planRebalance(
  world: RebalanceWorld,
  options: RebalanceOptions,
  { nowMs, turn }: { nowMs: number; turn: number },
): RebalancePlan {
  const moving = world.owners.find(({ object }) => findRecord(object)?.move !== undefined);
  if (moving !== undefined) return { is: "wait", because: `a move of ${moving.title} is in progress` };
  const unrest = findUnrest(world, options, nowMs);
  if (unrest !== undefined) return { is: "wait", ...unrest };
  const crowds = findCrowds(world, options);
  if (crowds.length === 0) return { is: "nothing", held: [] };
  const mark = markOfNodes(world.nodes);
  const snapshot = snapshotOf(world);
  const held: HeldCrowd[] = [];
  const first = crowds.length > judgementsMax ? (turn * judgementsMax) % crowds.length : 0;
  for (const crowd of [...crowds.slice(first), ...crowds.slice(0, first)].slice(0, judgementsMax)) {
    const judged = judgeCrowd(crowd, { world, options, snapshot, mark, nowMs });
    if ("pod" in judged) return { is: "move", move: judged, mark };
    held.push({ owner: crowd.owner.title, node: crowd.node, ...judged });
  }
  return { is: "nothing", held };
}

interface Crowd {
  readonly owner: Owner;
  readonly node: string;
  readonly pods: readonly Pod[];
  /** The difference to the node with the fewest of the owner's pods. */
  readonly excess: number;
}

/** The nodes with at least two more pods of an owner than another node. */
function findCrowds({ nodes, owners, podsOf }: RebalanceWorld, { namespace }: RebalanceOptions): readonly Crowd[] {
  const crowds: Crowd[] = [];
  for (const owner of owners) {
    if (namespace !== "" && owner.namespace !== namespace) continue;
    const byNode = new Map<string, Pod[]>();
    for (const pod of podsOf(owner.uid).filter(isPodActive)) {
      const node = pod.spec?.nodeName ?? "";
      if (node !== "") byNode.set(node, [...(byNode.get(node) ?? []), pod]);
    }
    const counts = nodes.map(({ metadata }) => byNode.get(metadata.name ?? "")?.length ?? 0);
    const fewest = counts.reduce((a, b) => Math.min(a, b), Infinity);
    for (const [node, pods] of byNode)
      if (pods.length >= fewest + 2) crowds.push({ owner, node, pods, excess: pods.length - fewest });
  }
  return crowds.toSorted((a, b) => b.excess - a.excess || (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf({ owner, node }: Crowd): string {
  return `${owner.title} ${node}`;
}

interface Judging {
  readonly world: RebalanceWorld;
  readonly options: RebalanceOptions;
  readonly snapshot: Snapshot;
  readonly mark: string;
  readonly nowMs: number;
}

/** Returns the move, or the reason why the crowd does not move. */
function judgeCrowd(crowd: Crowd, { world, options, snapshot, mark, nowMs }: Judging): RebalanceMove | Hold {
  const { owner } = crowd;
  const hold = findOwnerHold(owner, { pods: world.podsOf(owner.uid), mark, nowMs }, options);
  if (hold !== undefined) return hold;
  const from: NodeInfo | undefined = snapshot.find(crowd.node);
  if (from === undefined) return lasting(`node ${crowd.node} does not exist`);
  let because = "";
  for (const pod of crowd.pods.toSorted(byCost)) {
    const podHold = findPodHold(pod, { owner, budgets: world.budgets, mark });
    because = podHold === undefined ? because : `pod ${pod.metadata.name} is not moved: ${podHold}`;
    if (podHold !== undefined) continue;
    // The pods of one owner are alike, so the verdict on the first pod that may move applies to
    // all.
    const verdict = judgePlace(
      {
        pod: podInfoOf(pod),
        from,
        crowd: crowd.pods.length,
        comesBeforeEnd: !owner.isStateful,
        scoreMargin: options.scoreMargin,
      },
      snapshot,
    );
    return verdict.better ? moveOf(crowd, pod, verdict.place) : lasting(verdict.because);
  }
  return lasting(because);
}

function moveOf({ owner, node, pods }: Crowd, pod: Pod, place: BetterPlace): RebalanceMove {
  const others = place.alternatives === 0 ? "" : ` or one of ${place.alternatives} equivalent nodes`;
  const why =
    `${pods.length} of the ${owner.replicas} pods of ${owner.title} are on node ${node} and ${place.crowd} on node ` +
    `${place.node}${others}, which the scheduler scores ${place.scoreAfter} instead of ${place.scoreBefore}`;
  return { ...place, owner, pod, from: node, crowdBefore: pods.length, why };
}
