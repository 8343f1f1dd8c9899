/** Settings of the autoscaler; the defaults are upstream's. */
export interface AutoscalerOptions {
  /** The interval between two inspections of the cluster. Default 10 s. */
  readonly scanIntervalMs: number;
  /** Time for which a node has to be unneeded before it is removed. Default 10 min. */
  readonly unneededMs: number;
  /** Time without removals after a node was ordered. Default 10 min. */
  readonly delayAfterAddMs: number;
  /** Time without removals after a removal failed. Default 3 min. */
  readonly delayAfterFailureMs: number;
  /** Time after which a node that is not ready is removed without a drain. Default 20 min. */
  readonly unreadyMs: number;
  /** Time after which an ordered machine that is not a ready node is returned. Default 15 min. */
  readonly provisionMaxMs: number;
  /** Time after which a drain is aborted. Default 10 min. */
  readonly drainMaxMs: number;
  /** A node whose pods request more than this share of it is not removed. Default 0.5. */
  readonly utilizationMax: number;
  /** The first pause of a group that failed; it doubles with each failure. Default 5 min. */
  readonly backoffInitialMs: number;
  /** The longest pause of a group. Default 30 min. */
  readonly backoffMaxMs: number;
  /** Empty nodes that are removed at the same time. Default 10. */
  readonly emptyBulkMax: number;
}

export const upstreamOptions: AutoscalerOptions = {
  scanIntervalMs: 10_000,
  unneededMs: 600_000,
  delayAfterAddMs: 600_000,
  delayAfterFailureMs: 180_000,
  unreadyMs: 1_200_000,
  provisionMaxMs: 900_000,
  drainMaxMs: 600_000,
  utilizationMax: 0.5,
  backoffInitialMs: 300_000,
  backoffMaxMs: 1_800_000,
  emptyBulkMax: 10,
};
