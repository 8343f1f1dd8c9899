import { pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";
import { isMove } from "../observed/moves.ts";
import { parsed } from "../observed/seen-request.ts";

/** An event whose response was lost is sent again after 30 s, and a pause of up to 10 s. */
const reportMs = 60_000;

/** Users see an event for each move. A process that is killed loses its events. */
export function movesAreReported({ quietPeriod, clock, known }: InvariantContext): Invariant {
  /** The pods that moved in a quiet period and have no event yet, by UID. */
  const silent = new Map<string, { pod: string; sinceMs: number }>();

  return {
    name: "moves-are-reported",
    never: "in a quiet period, a pod that a rebalance has moved without an event about the move within 60 s",
    observes: [
      onKind(pods, (seen) => {
        if (!isMove(seen, known) || quietPeriod.forMs === 0) return;
        silent.set(seen.object.metadata.uid ?? "", { pod: nameOf(seen.object), sinceMs: clock.monotonicMs() });
      }),
    ],
    change({ resource, type, entry }, check) {
      if (silent.size === 0 || type === "delete" || !resource.endsWith("/events")) return;
      const { reason, involvedObject, regarding } = parsed(entry.value) as SomeEvent;
      if (reason !== "Rebalanced") return;
      if (silent.delete((involvedObject ?? regarding)?.uid ?? "")) check(undefined);
    },
    tick(check) {
      const nowMs = clock.monotonicMs();
      for (const [uid, { pod, sinceMs }] of silent) {
        // A later disturbance may have killed the process that had the event.
        if (nowMs - sinceMs >= quietPeriod.forMs) silent.delete(uid);
        else if (nowMs - sinceMs > reportMs) {
          silent.delete(uid);
          check(`pod ${pod} was moved ${nowMs - sinceMs} ms ago, and no event reports it`);
        }
      }
    },
  };
}

interface SomeEvent {
  readonly reason?: string;
  readonly involvedObject?: { readonly uid?: string };
  readonly regarding?: { readonly uid?: string };
}
