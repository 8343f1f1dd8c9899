import { isPodActive, isPodReady, parseTimestamp, type Pod } from "@kintsugi/api";
import { movesMax, type RebalanceRecord, type RecordedMove } from "./record.ts";
import type { Owner, RebalanceOptions, RebalanceWorld } from "./world.ts";

/** Time after which a pod that should have been evicted, and is not being deleted, remains. */
const evictionWithinMs = 30_000;

export type MoveOutcome =
  | { is: "under way"; because: string }
  /** The record to write. `note` is for users. */
  | { is: "ended"; record: RebalanceRecord; how: "moved" | "missed" | "withdrawn"; note: string };

/** Evaluates a recorded move by the existing pods. */
export function judgeMove(
  owner: Owner,
  { record, move }: { record: RebalanceRecord; move: RecordedMove },
  { world, options, nowMs }: { world: RebalanceWorld; options: RebalanceOptions; nowMs: number },
): MoveOutcome {
  const { move: _ended, ...rest } = record;
  const pods = world.podsOf(owner.uid);
  const ageMs = nowMs - parseTimestamp(record.at);
  const stays = pods.find((pod) => pod.metadata.uid === move.uid && isPodActive(pod));
  if (stays !== undefined) {
    if (ageMs < evictionWithinMs) return { is: "under way", because: `pod ${move.pod} is about to be evicted` };
    return { is: "ended", record: rest, how: "withdrawn", note: `pod ${move.pod} was not evicted` };
  }
  const active = pods.filter(isPodActive);
  const unready = active.find((pod) => !isPodReady(pod));
  if (active.length < owner.replicas || unready !== undefined) {
    const because = `the replacement of pod ${move.pod} is not Ready`;
    if (ageMs < options.readyWithinMs) return { is: "under way", because };
    return missed(rest, `${because} after ${Math.round(options.readyWithinMs / 1000)} s`);
  }
  return judgeLanding(active, { record: rest, move, begunMs: parseTimestamp(record.at) });
}

/**
 * A replacement on any node with fewer of the owner's pods than the old node had makes the crowds
 * smaller. The scheduler decides, and the prediction need not be correct.
 */
function judgeLanding(
  active: readonly Pod[],
  { record, move, begunMs }: { record: RebalanceRecord; move: RecordedMove; begunMs: number },
): MoveOutcome {
  const fresh = active.filter(({ metadata }) => parseTimestamp(metadata.creationTimestamp ?? "") >= begunMs);
  const nodeOf = (pod: Pod) => pod.spec?.nodeName ?? "";
  const on = (node: string) => active.filter((pod) => nodeOf(pod) === node).length;
  const landed = fresh.find((pod) => nodeOf(pod) !== move.from && on(nodeOf(pod)) < move.crowd);
  if (landed !== undefined) {
    const moved = [...record.moved, landed.metadata.uid ?? ""].slice(-movesMax);
    const note = `pod ${landed.metadata.name} on node ${nodeOf(landed)} replaces pod ${move.pod} of node ${move.from}`;
    return { is: "ended", record: { ...record, moved }, how: "moved", note };
  }
  const [other] = fresh;
  if (other === undefined)
    return { is: "ended", record, how: "withdrawn", note: `pod ${move.pod} was removed but not replaced` };
  return missed(
    record,
    `pod ${other.metadata.name}, which replaces pod ${move.pod} of node ${move.from}, is on node ${nodeOf(other)} and not on node ${move.to}`,
  );
}

function missed(record: RebalanceRecord, note: string): MoveOutcome {
  return { is: "ended", record: { ...record, blocked: note.slice(0, 600) }, how: "missed", note };
}
