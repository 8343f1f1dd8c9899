import { controllerOf, type Deployment, type ReplicaSet, scaledCount } from "@kintsugi/api";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import type { Known } from "./known.ts";

interface Bounds {
  fewest: number;
  most: number;
  /** When they were replaced by others, on the clock of `Known.awakeMs`. */
  untilMs: number;
}

/**
 * S12, of Deployments: what their sets ask for together keeps between what may be missing and what may be there in addition, by what was
 * wanted within the last 15 s. Growing is held to the upper bound and shrinking to the lower: a new wish may leave them far apart.
 */
export class RolloutsBounded implements Invariant {
  readonly name = "S12";
  readonly never =
    "a Deployment whose sets together ask for more than it may surge to, or for fewer than it has to keep";
  readonly #known: Known;
  readonly #bounds = new Map<string, Bounds[]>();
  readonly #asked = new Map<string, Map<string, number>>();

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  deployment({ type, object }: Seen<Deployment>): void {
    const { uid = "" } = object.metadata;
    const { awakeMs } = this.#known;
    const isGoing = type === "delete" || object.metadata.deletionTimestamp !== undefined;
    const next = isGoing ? { fewest: 0, most: 0 } : boundsOf(object);
    const bounds = this.#bounds.get(uid) ?? [];
    const last = bounds.at(-1);
    if (last?.fewest === next.fewest && last.most === next.most) return;
    for (const each of bounds) each.untilMs = Math.min(each.untilMs, awakeMs);
    bounds.push({ ...next, untilMs: Infinity });
    this.#bounds.set(
      uid,
      bounds.filter(({ untilMs }) => untilMs + hearsayMs >= awakeMs),
    );
  }

  replicaSet({ type, object }: Seen<ReplicaSet>, check: Check): void {
    const owner = controllerOf(object);
    if (owner?.kind !== "Deployment") return;
    const asked = this.#asked.get(owner.uid) ?? new Map<string, number>();
    this.#asked.set(owner.uid, asked);
    const before = total(asked);
    if (type === "delete") asked.delete(object.metadata.uid ?? "");
    else asked.set(object.metadata.uid ?? "", object.spec?.replicas ?? 1);
    const after = total(asked);
    const held = (this.#bounds.get(owner.uid) ?? []).filter(
      ({ untilMs }) => untilMs + hearsayMs >= this.#known.awakeMs,
    );
    // A set that goes with its Deployment, or after it.
    if (after === before || held.length === 0) return;
    const most = Math.max(...held.map((bounds) => bounds.most));
    const fewest = Math.min(...held.map((bounds) => bounds.fewest));
    if (after > before)
      check(after > most ? `the sets of ${owner.name} ask for ${after} pods, not ${most} at most` : undefined);
    else check(after < fewest ? `the sets of ${owner.name} ask for ${after} pods, not ${fewest} at least` : undefined);
  }
}

function total(asked: ReadonlyMap<string, number>): number {
  return [...asked.values()].reduce((sum, replicas) => sum + replicas, 0);
}

function boundsOf({ spec }: Deployment): { fewest: number; most: number } {
  const replicas = spec?.replicas ?? 1;
  if (spec?.strategy?.type === "Recreate") return { fewest: 0, most: replicas };
  const { maxSurge = 0, maxUnavailable = 0 } = spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, replicas, "up");
  const missing = scaledCount(maxUnavailable, replicas, "down");
  return { fewest: Math.max(0, replicas - (surge + missing === 0 ? 1 : missing)), most: replicas + surge };
}
