import { noExecuteTaints, parseTimestamp, type Pod, type Taint, tolerates, nodes, pods } from "@kintsugi/api";
import { downTaintOf, isTaintEvicted } from "../observed/down-taints.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";

/** A period in which a node had a taint that evicts pods because the node is down. */
interface Spell {
  taint: Taint;
  readonly fromMs: number;
  /** The time for which the taint existed when it was removed; absent while it exists. */
  lastedMs?: number;
}

/**
 * The safety half of lost-nodes-are-evicted: a pod remains on a node that is down for as long as
 * the pod tolerates that state.
 */
export function evictionsWaitForTolerations({ clock, clocks, known }: InvariantContext): Invariant {
  /** The last period of each node. */
  const spells = new Map<string, Spell>();
  /** The last time at which a node had another evicting taint, on the clock of `Known.activeMs`. */
  const otherMs = new Map<string, number>();

  return {
    name: "evictions-wait-for-tolerations",
    never: "a pod that is evicted before its toleration is over",
    observes: [
      onKind(nodes, ({ type, object }) => {
        const name = object.metadata.name ?? "";
        const taint = downTaintOf(object);
        const spell = spells.get(name);
        const others = noExecuteTaints(object.spec?.taints).length - (taint ? 1 : 0);
        if (others > 0) otherMs.set(name, known.activeMs);
        if (type === "delete") spells.delete(name);
        else if (!taint && spell) spell.lastedMs ??= exposedForMs(spell);
        else if (taint && spell && spell.lastedMs === undefined) spell.taint = taint;
        else if (taint) spells.set(name, { taint, fromMs: clock.monotonicMs() });
      }),
      onKind(pods, ({ type, object, before }, check) => {
        if (type === "delete" || before === undefined || !isTaintEvicted(object) || isTaintEvicted(before)) return;
        const name = object.spec?.nodeName ?? "";
        const spell = spells.get(name);
        // Other taints have other times.
        if (!spell || known.activeMs - (otherMs.get(name) ?? -Infinity) <= staleViewMs) return;
        const sinceMs = clock.monotonicMs() - spell.fromMs;
        if (clocks.steadyForMs("controller-manager") <= Math.max(sinceMs, exposedForMs(spell))) return;
        const wantedMs = toleratedMs(object, spell.taint);
        // The evicting controller has just read the node from the server, so a recovered node had
        // been down for long enough.
        const forMs = spell.lastedMs ?? exposedForMs(spell);
        check(
          forMs < wantedMs
            ? `pod ${nameOf(object)} tolerates ${spell.taint.key} for ${wantedMs} ms and was evicted after ${forMs} ms`
            : undefined,
        );
      }),
    ],
  };

  /**
   * Counts from the taint's commit or from its own time, which can be earlier by the duration of
   * its write.
   */
  function exposedForMs({ taint: { timeAdded }, fromMs }: Spell): number {
    const seenMs = clock.monotonicMs() - fromMs;
    return timeAdded === undefined ? seenMs : Math.max(seenMs, clock.nowMs() - parseTimestamp(timeAdded));
  }
}

function toleratedMs({ spec }: Pod, taint: Taint): number {
  const toleration = spec?.tolerations?.find((each) => tolerates(each, taint));
  if (!toleration) return 0;
  return toleration.tolerationSeconds === undefined ? Infinity : toleration.tolerationSeconds * 1000;
}
