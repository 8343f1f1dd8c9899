/** Settings of the autoscaler; the defaults are upstream's. */
export interface AutoscalerOptions {
  /** The interval between two inspects the cluster. Default 10 s. */
  readonly scanIntervalMs: number;
  /** A node has to be unneeded for this long before it goes. Default 10 min. */
  readonly unneededMs: number;
  /** No node goes for this long after one was ordered. Default 10 min. */
  readonly delayAfterAddMs: number;
  /** No node goes for this long after a removal failed. Default 3 min. */
  readonly delayAfterFailureMs: number;
  /** A node that is not ready for this long goes without a drain. Default 20 min. */
  readonly unreadyMs: number;
  /** A machine that is no ready node by then is given back. Default 15 min. */
  readonly provisionMaxMs: number;
  /** A drain that takes longer is given up. Default 10 min. */
  readonly drainMaxMs: number;
  /** A node whose pods request more than this share of it stays. Default 0.5. */
  readonly utilizationMax: number;
  /** The first pause of a group that failed; it doubles with each failure. Default 5 min. */
  readonly backoffInitialMs: number;
  /** The longest pause of a group. Default 30 min. */
  readonly backoffMaxMs: number;
  /** Empty nodes that go at the same time. Default 10. */
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
