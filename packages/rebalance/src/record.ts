import { type ApiObject, parseForeignJson, parseTimestamp, rebalanceRecordAnnotation } from "@kintsugi/api";
import { z } from "zod";

// The memory of a rebalance, stored as an annotation of the pods' owner, so that it survives a
// restart and a second process that rebalances reads the same record:
//
//   {nodes, at, moved: []}                 ──► before the eviction: {…, move: {pod, from, to, …}}
//   {…, moved: ["uid"]}                    ◄── the replacement is Ready on a better node
//   {…, blocked: "…"}                      ◄── it is not: no further try while the nodes are these
//
// A record of other nodes is ignored, except its unfinished move and its time.

/**
 * Limit on moves of one owner while the nodes are unchanged; the record of each is 40 bytes of an
 * annotation.
 */
export const movesMax = 100;

/** Text that is long enough for the API's names and UIDs. */
const text = z.string().max(260);

const Move = z.strictObject({
  pod: text,
  uid: text,
  from: text,
  to: text,
  /** The number of the owner's pods on the node from which the pod was evicted. */
  crowd: z.number().int().min(2).max(1_000_000),
});

const Rebalance = z.strictObject({
  /** The digest of the nodes with which the moves were planned. */
  nodes: z.string().max(64),
  /** Time of the last attempt. */
  at: z.string().max(40),
  /**
   * The UIDs of the pods that were created by a move; they do not move again while the nodes are
   * unchanged.
   */
  moved: z.array(text).max(movesMax),
  /** The move whose replacement is not Ready yet. */
  move: Move.optional(),
  /** The reason for which the owner's pods are not moved while the nodes are unchanged. */
  blocked: z.string().max(600).optional(),
});

export type RebalanceRecord = z.infer<typeof Rebalance>;
export type RecordedMove = z.infer<typeof Move>;

/** Returns undefined without a record, or if the annotation is not a record. */
export function findRecord({ metadata }: ApiObject): RebalanceRecord | undefined {
  const written = metadata.annotations?.[rebalanceRecordAnnotation];
  if (written === undefined) return undefined;
  try {
    const { success, data } = Rebalance.safeParse(parseForeignJson(written));
    return success && !Number.isNaN(parseTimestamp(data.at)) ? data : undefined;
  } catch {
    return undefined;
  }
}
