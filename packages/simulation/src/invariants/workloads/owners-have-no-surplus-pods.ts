import { controllerOf, isPodActive, jobs, pods, replicaSets, replicationControllers } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";

/** Kinds whose pods have random names, so that any surplus pod is a violation. */
const countedOwners: readonly string[] = ["ReplicaSet", "ReplicationController", "Job"];

interface WantedCount {
  replicas: number;
  /**
   * The time at which another value replaced this value, on the clock of the controller-manager's
   * possible knowledge.
   */
  untilMs: number;
}

/**
 * An owner's active pods never exceed its wanted number. A creation that was in flight for a long
 * time may take effect in addition to a creation by the same controller-manager after a timeout, or
 * by its successor: upstream also has one surplus pod then, and deletes it. A controller-manager
 * that was cut off receives all wanted numbers that it has missed, one after the other, and may act
 * on each number. A controller-manager that is restarted without elections may create a pod while a
 * creation of its predecessor is in flight.
 */
export function ownersHaveNoSurplusPods({ known, viewClocks }: InvariantContext): Invariant {
  const countsOf = new Map<string, WantedCount[]>();
  const activeOf = new Map<string, Set<string>>();
  /**
   * The last time, on the clock of `Known.activeMs`, at which a pod was created by a request of a
   * process that had ended and whose successor did not have to wait.
   */
  let forsakenMs = -Infinity;

  return {
    name: "owners-have-no-surplus-pods",
    never:
      "more active pods than their owner requests (or requested within the last 15 s in which the controller-manager was connected), unless a creation has been in flight for longer, or was requested by a controller-manager that has ended, without elections",
    observes: [
      onKind(replicaSets, ({ type, object: { metadata, spec } }) => {
        noteWanted(metadata.uid ?? "", type === "delete" ? 0 : (spec?.replicas ?? 1));
      }),
      onKind(replicationControllers, ({ type, object: { metadata, spec } }) => {
        noteWanted(metadata.uid ?? "", type === "delete" ? 0 : (spec?.replicas ?? 1));
      }),
      onKind(jobs, ({ type, object: { metadata, spec } }) => {
        noteWanted(metadata.uid ?? "", type === "delete" ? 0 : (spec?.parallelism ?? 1));
      }),
      onKind(pods, ({ type, object }, check) => {
        const owner = controllerOf(object);
        if (owner === undefined || !countedOwners.includes(owner.kind)) return;
        const active = activeOf.get(owner.uid) ?? new Set<string>();
        activeOf.set(owner.uid, active);
        if (type === "delete" || !isPodActive(object)) {
          active.delete(object.metadata.uid ?? "");
          return;
        }
        const countBefore = active.size;
        active.add(object.metadata.uid ?? "");
        if (active.size === countBefore) return;
        const { activeMs } = known;
        const held = (countsOf.get(owner.uid) ?? []).filter(
          ({ untilMs }) => untilMs + staleViewMs >= viewClocks.controllerManager.ms,
        );
        const wanted = Math.max(0, ...held.map(({ replicas }) => replicas));
        const creations = known.creationsOfPods();
        if (creations.some(({ isForsaken }) => isForsaken) && !known.areLeadersElected) forsakenMs = activeMs;
        const mayBeLate =
          activeMs - forsakenMs <= staleViewMs || creations.some(({ underwayMs }) => underwayMs > staleViewMs);
        check(
          active.size > wanted && !mayBeLate
            ? `${owner.name} requests ${wanted} pods and has ${active.size}`
            : undefined,
        );
      }),
    ],
  };

  function noteWanted(uid: string, replicas: number): void {
    const wanted = countsOf.get(uid) ?? [];
    const { ms } = viewClocks.controllerManager;
    if (wanted.at(-1)?.replicas === replicas) return;
    for (const each of wanted) each.untilMs = Math.min(each.untilMs, ms);
    wanted.push({ replicas, untilMs: Infinity });
    countsOf.set(
      uid,
      wanted.filter(({ untilMs }) => untilMs + staleViewMs >= ms),
    );
  }
}
