import { CommitLog } from "../commit-log.ts";
import type { History, HistoryViolation, WatchStream } from "../history.ts";
import { RevisionBounds } from "../revision-bounds.ts";

/** The store's retention for each resource: a watch within it may not be rejected with 410. */
export interface KeptHistory {
  /** Number of the newest changes that are retained at any age. */
  readonly eventsMin: number;
  /** Age up to which all changes are retained. */
  readonly durationMs: number;
}

/**
 * A watch from the past is served or rejected with 410, but never silently incomplete, and it is
 * rejected only if the store may have dropped changes. Only a watch from the future is rejected
 * with 504.
 */
export function checkWatchEnds(history: History, kept: KeptHistory): HistoryViolation[] {
  const log = new CommitLog(history.commits ?? []);
  const bounds = new RevisionBounds(history, log);
  return history.watches.flatMap((stream) => {
    const wrong = wrongEnd(stream, { bounds, log, kept, history });
    const { client, id, fromRevision } = stream;
    return wrong === undefined
      ? []
      : [{ invariant: "watches-are-complete", message: `${client}#${id} watch from ${fromRevision} ${wrong}` }];
  });
}

interface EndContext {
  readonly bounds: RevisionBounds;
  readonly log: CommitLog;
  readonly kept: KeptHistory;
  readonly history: History;
}

function wrongEnd(stream: WatchStream, { bounds, log, kept, history }: EndContext): string | undefined {
  const { fromRevision, startMs, endMs, frames, end, prefix } = stream;
  const seen = bounds.atLeast(startMs);
  if (end === "ahead")
    return fromRevision <= seen
      ? `was rejected as from the future, although revision ${seen} was observed before`
      : undefined;
  // The time of the response is known only if a frame arrived.
  const firstMs = frames[0]?.atMs ?? (end === "expired" ? endMs : undefined);
  if (firstMs !== undefined && fromRevision > bounds.atMost(firstMs))
    return `was served, but the store had only reached ${bounds.atMost(firstMs)}`;
  if (end !== "expired" || log.commits.length === 0) return undefined;
  // The retention applies per resource, so writes of other clients count too.
  const resource = prefix.split("/").slice(0, 2).join("/");
  const behind = log.between(fromRevision, bounds.atMost(endMs)).filter(({ key }) => key.startsWith(resource));
  const oldestMs = behind[0]?.atMs ?? -Infinity;
  const isReopened = history.openings?.some(({ atMs }) => atMs > oldestMs && atMs < endMs) ?? false;
  if (behind.length <= kept.eventsMin && !isReopened)
    return `was rejected as expired, although only ${behind.length} changes had followed`;
  const ageMs = endMs - oldestMs;
  return ageMs < kept.durationMs
    ? `was rejected as expired, although the following changes were only ${ageMs} ms old`
    : undefined;
}
