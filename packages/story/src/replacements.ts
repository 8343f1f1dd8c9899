import type { Bar } from "./bar.ts";
import { type Replacement, replacementsIn } from "./causes.ts";
import { workloadByName, workloadKey, type WorkloadRef } from "./owners.ts";

/** Pairs lost pods with their successors in all workloads, which are derived from pods' names. */
export function replacementsOf(bars: readonly Bar[], workloads: ReadonlyMap<string, WorkloadRef>): Replacement[] {
  const groups = new Map<string, Bar[]>();
  for (const bar of bars) {
    if (bar.node === "") continue;
    const key = workloadKey(workloadByName(bar, workloads));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [bar]);
    else group.push(bar);
  }
  return [...groups.values()].flatMap((group) => replacementsIn(group));
}
