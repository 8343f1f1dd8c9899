import { formatTimestamp, type Pod, rebalanceRecordAnnotation } from "@kintsugi/api";
import { type HeldCrowd, planRebalance, type RebalanceMove } from "./plan.ts";
import { findRecord, type RebalanceRecord } from "./record.ts";
import type { Owner, RebalanceOptions, RebalanceWorld } from "./world.ts";

/** Limit on moves, because people read a forecast, and each move costs a plan. */
const forecastMax = 100;

export interface Forecast {
  readonly moves: readonly RebalanceMove[];
  /** The reason why no further pod moves, if it applies to the whole cluster. */
  readonly waitsFor: string | undefined;
  readonly held: readonly HeldCrowd[];
}

/** The sequence of moves if each replacement is placed as predicted. */
export function forecastRebalance(world: RebalanceWorld, options: RebalanceOptions, nowMs: number): Forecast {
  const moves: RebalanceMove[] = [];
  let next = world;
  while (moves.length < forecastMax) {
    const plan = planRebalance(next, { ...options, cooldownMs: 0 }, { nowMs, turn: 0 });
    if (plan.is === "wait") return { moves, waitsFor: plan.because, held: [] };
    if (plan.is === "nothing") return { moves, waitsFor: undefined, held: plan.held };
    moves.push(plan.move);
    next = afterMove(next, plan.move, { mark: plan.mark, nowMs });
  }
  return { moves, waitsFor: `the forecast ends after ${forecastMax} moves`, held: [] };
}

function afterMove(
  world: RebalanceWorld,
  { owner, pod, node }: RebalanceMove,
  { mark, nowMs }: { mark: string; nowMs: number },
): RebalanceWorld {
  const known = findRecord(owner.object);
  const moved = [...(known?.nodes === mark ? known.moved : []), pod.metadata.uid ?? ""];
  const record: RebalanceRecord = { nodes: mark, at: formatTimestamp(nowMs), moved };
  const placed = (each: Pod): Pod =>
    each.metadata.uid === pod.metadata.uid ? { ...each, spec: { containers: [], ...each.spec, nodeName: node } } : each;
  const ofOwner = world.podsOf(owner.uid).map(placed);
  return {
    ...world,
    pods: world.pods.map(placed),
    podsOf: (uid) => (uid === owner.uid ? ofOwner : world.podsOf(uid)),
    owners: world.owners.map((each) => (each.uid === owner.uid ? withRecord(each, record) : each)),
  };
}

function withRecord(owner: Owner, record: RebalanceRecord): Owner {
  const { metadata } = owner.object;
  const annotations = { ...metadata.annotations, [rebalanceRecordAnnotation]: JSON.stringify(record) };
  return { ...owner, object: { ...owner.object, metadata: { ...metadata, annotations } } };
}
