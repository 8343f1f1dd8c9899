import { chooseFeatures, type EnabledFeature, type KubernetesMinor, profiles, type ResourceType } from "@kintsugi/api";
import { flag } from "@kintsugi/daemon";
import { type AdmissionPlugin, defaultAdmissionPlugins } from "./admission-plugins.ts";

/** The complete settings of the server. The flags of `config.ts` fill them. */
export interface ServerOptions {
  /** Names the cluster in bus subjects and credentials. */
  clusterName: string;
  /** Time for which events are stored (`--event-ttl`). */
  eventTtlMs: number;
  /**
   * Seconds that admission adds to pods without a toleration of not-ready nodes
   * (`--default-not-ready-toleration-seconds`).
   */
  defaultNotReadyTolerationSeconds: number;
  /**
   * Seconds that admission adds to pods without a toleration of unreachable nodes
   * (`--default-unreachable-toleration-seconds`).
   */
  defaultUnreachableTolerationSeconds: number;
  /** IPv4 range from which Services get their addresses (`--service-cluster-ip-range`). */
  serviceClusterIpRange: string;
  /**
   * The address at which pods reach this server through the Service `kubernetes`; undefined: the
   * Service does not exist.
   */
  advertised: AdvertisedAddress | undefined;
  /**
   * Addresses and ranges of the control plane, in addition to `advertised`, that a Service may not
   * use (`--reserved-addresses`).
   */
  reservedAddresses: readonly string[];
  /** The certificates by which other API servers authenticate this server and its clients. */
  extensionAuthentication: ExtensionAuthentication | undefined;
  /**
   * The longest lifetime of a service account's token (`--service-account-max-token-expiration`); 0
   * for no limit.
   */
  tokenLifeMaxMs: number;
  /** Limit of concurrent reads (`--max-requests-inflight`). */
  readsInFlightMax: number;
  /** Limit of concurrent writes (`--max-mutating-requests-inflight`). */
  writesInFlightMax: number;
  /**
   * Assigns seats to requests by FlowSchemas and PriorityLevelConfigurations, for which requests
   * wait (`--enable-priority-and-fairness`). Otherwise requests beyond the two limits are rejected.
   */
  priorityAndFairness: boolean;
  /**
   * True where the server makes upstream's mandatory and suggested FlowSchemas and
   * PriorityLevelConfigurations at its start, even if requests do not get their seats by these
   * objects. The program always sets this option. A cluster in virtual time does not need the
   * objects, because its requests never wait for seats.
   */
  flowObjects: boolean;
  /**
   * The longest duration of a request other than a watch or a followed log (`--request-timeout`).
   */
  requestTimeoutMs: number;
  /**
   * The shortest duration of a watch without its own timeout; the longest is twice this time
   * (`--min-request-timeout`).
   */
  watchTimeoutMinMs: number;
  /**
   * The time between two removals of history that no watch needs (`--etcd-compaction-interval`); 0
   * for never.
   */
  compactionIntervalMs: number;
  /**
   * The time between two reads of the whole store, which find values that differ from the written
   * values (`--store-scrub-interval`); 0 for never.
   */
  scrubIntervalMs: number;
  /**
   * The levels of namespaces without labels, and the exemptions from the Pod Security Standards.
   */
  podSecurity: PodSecuritySettings;
  /**
   * The admission plugins that run (`--enable-admission-plugins`, `--disable-admission-plugins`).
   */
  admissionPlugins: readonly AdmissionPlugin[];
  /** The version that is reported (`--emulated-version`); undefined: the default. */
  minor: KubernetesMinor | undefined;
  /** The features that are on or off (`--feature-gates`). */
  features: readonly EnabledFeature[];
  /** Reports whether a built-in kind is served (`--runtime-config`). */
  isServed(type: Pick<ResourceType, "group" | "version" | "resource">): boolean;
}

/** The levels of the Pod Security Standards, in increasing strictness. */
export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** A level for each mode, in a version of the Standards: "latest" or "v1.33". */
export type PodSecurityPolicy = Readonly<
  Record<"enforce" | "audit" | "warn", { readonly level: PodSecurityLevel; readonly version: string }>
>;

/** The configuration of the admission plugin PodSecurity. */
export interface PodSecuritySettings {
  readonly defaults: PodSecurityPolicy;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

const unrestricted = { level: "privileged", version: "latest" } as const;

export const defaultPodSecurity: PodSecuritySettings = {
  defaults: { enforce: unrestricted, audit: unrestricted, warn: unrestricted },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

/** Flow control needs its objects. */
export function hasFlowObjects({ flowObjects, priorityAndFairness }: ServerOptions): boolean {
  return flowObjects || priorityAndFairness;
}

export const defaultServerOptions: ServerOptions = {
  clusterName: "kintsugi",
  eventTtlMs: profiles.kubernetes.eventTtlMs,
  defaultNotReadyTolerationSeconds: profiles.kubernetes.defaultTolerationSeconds,
  defaultUnreachableTolerationSeconds: profiles.kubernetes.defaultTolerationSeconds,
  serviceClusterIpRange: "10.96.0.0/16",
  advertised: undefined,
  reservedAddresses: [],
  extensionAuthentication: undefined,
  tokenLifeMaxMs: 48 * 60 * 60 * 1000,
  readsInFlightMax: 400,
  writesInFlightMax: 200,
  priorityAndFairness: false,
  flowObjects: false,
  requestTimeoutMs: 60_000,
  watchTimeoutMinMs: 30 * 60 * 1000,
  compactionIntervalMs: 5 * 60 * 1000,
  scrubIntervalMs: 60 * 60 * 1000,
  podSecurity: defaultPodSecurity,
  admissionPlugins: defaultAdmissionPlugins,
  minor: undefined,
  features: chooseFeatures({ minor: undefined, gates: {} }),
  isServed: () => true,
};

/** The content of the ConfigMap extension-apiserver-authentication. */
export interface ExtensionAuthentication {
  /** The authority of clients, PEM. */
  readonly clientCa: string;
  /** The authority of the front proxy's certificate, PEM, and the names that it may have. */
  readonly requestHeader: { readonly ca: string; readonly allowedNames: readonly string[] } | undefined;
}

/** The address of this server inside the cluster. */
export interface AdvertisedAddress {
  readonly address: string;
  readonly port: number;
}

/** The settings of the server whose defaults are timers of the profile. */
export const timerOptions = {
  "pod-eviction-timeout": flag.durationMs({
    help: "Duration of both default tolerations",
    byProfile: (timers) => timers.defaultTolerationSeconds * 1000,
  }),
  "event-ttl": flag.durationMs({
    help: "Time for which events are retained",
    byProfile: (timers) => timers.eventTtlMs,
    key: "eventTTL",
  }),
};
