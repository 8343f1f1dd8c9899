import { CommitLog } from "./commit-log.ts";
import type { History, HistoryViolation, WatchStream } from "./history.ts";
import { RevisionBounds } from "./revision-bounds.ts";

export interface KeptHistory {
  /** The newest changes of a resource that the store keeps however old they are; no watch behind fewer may be refused with 410. */
  readonly eventsMin: number;
}

/**
 * S5, its other half: a watch from the past is served or refused with 410, never silently short, and refused only where the
 * store may have dropped something; one from the future is refused with 504, and nobody else is.
 */
export function checkWatchEnds(history: History, kept: KeptHistory): HistoryViolation[] {
  const log = new CommitLog(history.commits ?? []);
  const bounds = new RevisionBounds(history, log);
  return history.watches.flatMap((stream) => {
    const wrong = wrongEnd(stream, { bounds, log, kept });
    const { client, id, fromRevision } = stream;
    return wrong === undefined
      ? []
      : [{ invariant: "S5", message: `${client}#${id} watch from ${fromRevision} ${wrong}` }];
  });
}

interface EndContext {
  readonly bounds: RevisionBounds;
  readonly log: CommitLog;
  readonly kept: KeptHistory;
}

function wrongEnd(stream: WatchStream, { bounds, log, kept }: EndContext): string | undefined {
  const { fromRevision, startMs, endMs, frames, end, prefix } = stream;
  const seen = bounds.atLeast(startMs);
  if (end === "ahead")
    return fromRevision <= seen ? `was refused as from the future, and revision ${seen} was seen before` : undefined;
  // When it was answered is known only where something came.
  const firstMs = frames[0]?.atMs ?? (end === "expired" ? endMs : undefined);
  if (firstMs !== undefined && fromRevision > bounds.atMost(firstMs))
    return `was served, and the store was at ${bounds.atMost(firstMs)} at most`;
  if (end !== "expired" || log.commits.length === 0) return undefined;
  const behind = log.between(fromRevision, bounds.atMost(endMs)).filter(({ key }) => key.startsWith(prefix)).length;
  return behind < kept.eventsMin ? `was refused as expired, and only ${behind} changes had followed` : undefined;
}
