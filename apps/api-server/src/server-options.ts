/** Settings of the server, completed. The flags of `config.ts` fill them. */
export interface ServerOptions {
  /** Names the cluster in bus subjects and credentials. */
  clusterName: string;
  /** How long Events stay (`--event-ttl`). */
  eventTtlMs: number;
  /**
   * Added to pods that say nothing of not-ready nodes (`--default-not-ready-toleration-seconds`).
   */
  defaultNotReadyTolerationSeconds: number;
  /** The same for unreachable nodes. */
  defaultUnreachableTolerationSeconds: number;
  /** IPv4 range from which Services get their addresses (`--service-cluster-ip-range`). */
  serviceClusterIpRange: string;
  /** Where pods reach this server by the Service `kubernetes`; undefined: there is none. */
  advertised: AdvertisedAddress | undefined;
  /**
   * For how long a token of a service account is good at most
   * (`--service-account-max-token-expiration`); 0 for no limit.
   */
  tokenLifeMaxMs: number;
  /** Reads that may be in flight at once (`--max-requests-inflight`). */
  readsInFlightMax: number;
  /** Writes that may be in flight at once (`--max-mutating-requests-inflight`). */
  writesInFlightMax: number;
  /** How long a request other than a watch or a followed log may take (`--request-timeout`). */
  requestTimeoutMs: number;
  /**
   * A watch without a timeout of its own ends after this long, up to twice as long
   * (`--min-request-timeout`).
   */
  watchTimeoutMinMs: number;
  /**
   * How often history that no watch needs is dropped (`--etcd-compaction-interval`); 0 for never.
   */
  compactionIntervalMs: number;
  /**
   * How often the whole store is read again and compared with what was written
   * (`--store-scrub-interval`); 0 for never.
   */
  scrubIntervalMs: number;
}

export const defaultServerOptions: ServerOptions = {
  clusterName: "kintsugi",
  eventTtlMs: 60 * 60 * 1000,
  defaultNotReadyTolerationSeconds: 300,
  defaultUnreachableTolerationSeconds: 300,
  serviceClusterIpRange: "10.96.0.0/16",
  advertised: undefined,
  tokenLifeMaxMs: 48 * 60 * 60 * 1000,
  readsInFlightMax: 400,
  writesInFlightMax: 200,
  requestTimeoutMs: 60_000,
  watchTimeoutMinMs: 30 * 60 * 1000,
  compactionIntervalMs: 5 * 60 * 1000,
  scrubIntervalMs: 60 * 60 * 1000,
};

/** Where this server is reached from inside the cluster. */
export interface AdvertisedAddress {
  readonly address: string;
  readonly port: number;
}
