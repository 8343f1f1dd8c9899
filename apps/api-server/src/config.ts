import { type ProfileName, profiles } from "@kintsugi/api";
import { allowedValue, flag, FlagError, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";

/** The command line of the api-server, completed. */
export interface ApiServerConfig {
  dataDir: string;
  bindAddresses: readonly string[];
  securePort: number;
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  clientCaFile: string;
  kubelet: KubeletClientConfig | undefined;
  bus: BusConfig | undefined;
  clusterName: string;
  serviceClusterIpRange: string;
  defaultNotReadyTolerationSeconds: number;
  defaultUnreachableTolerationSeconds: number;
  eventTtlMs: number;
  compactionIntervalMs: number;
  scrubIntervalMs: number;
  readsInFlightMax: number;
  writesInFlightMax: number;
  logLevel: LogLevel;
}

/** How the server shows itself to kubelets, and by whose signature it knows them. */
interface KubeletClientConfig {
  certFile: string;
  keyFile: string;
  caFile: string;
}

interface BusConfig {
  servers: readonly string[];
  caFile: string | undefined;
  accountSeedFile: string;
}

const program = {
  name: "api-server",
  description: "Serves the Kubernetes API from a data directory of its own, over TLS.",
};

const minute = 60_000;

const flags = {
  "data-dir": flag.text({ help: "Directory in which the cluster lives", required: true }),
  "bind-address": flag.list({ help: "Addresses to serve on", fallback: ["0.0.0.0"] }),
  "secure-port": flag.number({ help: "Port to serve on", fallback: 6443 }),
  "tls-cert-file": flag.text({ help: "Certificate of the server, PEM", required: true }),
  "tls-private-key-file": flag.text({ help: "Its key, PEM", required: true }),
  "client-ca-file": flag.text({ help: "Certificate authority that signs clients, PEM", required: true }),
  "kubelet-client-certificate": flag.text({ help: "Certificate to show to kubelets, PEM" }),
  "kubelet-client-key": flag.text({ help: "Its key, PEM" }),
  "kubelet-certificate-authority": flag.text({ help: "Certificate authority that signs kubelets, PEM" }),
  "nats-server": flag.list({ help: "NATS servers to publish changes to; without it clients watch over HTTP" }),
  "nats-ca-file": flag.text({ help: "Certificate authority that signs the NATS servers, PEM" }),
  "nats-account-seed-file": flag.text({ help: "Seed of the account key that signs bus credentials" }),
  "cluster-name": flag.text({ help: "Name of the cluster on the bus", fallback: "kintsugi" }),
  "service-cluster-ip-range": flag.text({ help: "Addresses given to services", fallback: "10.96.0.0/16" }),
  profile: flag.text({ help: "Timers set together: default, kubernetes or fast", fallback: "default" }),
  "default-not-ready-toleration-seconds": flag.number({
    help: "How long pods stay on a node that is not ready, unless they say it themselves (default by profile)",
  }),
  "default-unreachable-toleration-seconds": flag.number({
    help: "How long pods stay on a node that is unreachable, unless they say it themselves (default by profile)",
  }),
  "pod-eviction-timeout": flag.durationMs({ help: "Sets both default tolerations" }),
  "event-ttl": flag.durationMs({ help: "How long events are kept (default by profile)" }),
  "etcd-compaction-interval": flag.durationMs({
    help: "How often history that no watch needs is dropped; 0 for never",
    fallback: 5 * minute,
  }),
  "store-scrub-interval": flag.durationMs({
    help: "How often the whole store is read again and compared with what was written; 0 for never",
    fallback: 60 * minute,
  }),
  "max-requests-inflight": flag.number({ help: "Reads worked on at once", fallback: 400 }),
  "max-mutating-requests-inflight": flag.number({ help: "Writes worked on at once", fallback: 200 }),
  "log-level": flag.text({ help: `One of ${logLevels.join(", ")}`, fallback: "info" }),
} as const;

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): ApiServerConfig {
  const given = readFlags(program, flags, argv);
  const profile = profiles[allowedValue(given.profile, Object.keys(profiles) as ProfileName[], "profile")];
  const evictionMs = given["pod-eviction-timeout"];
  const tolerationDefault = evictionMs === undefined ? profile.defaultTolerationSeconds : Math.round(evictionMs / 1000);
  return {
    dataDir: given["data-dir"],
    bindAddresses: given["bind-address"],
    securePort: given["secure-port"],
    tlsCertFile: given["tls-cert-file"],
    tlsPrivateKeyFile: given["tls-private-key-file"],
    clientCaFile: given["client-ca-file"],
    kubelet: kubeletConfig(given),
    bus: busConfig(given),
    clusterName: given["cluster-name"],
    serviceClusterIpRange: given["service-cluster-ip-range"],
    defaultNotReadyTolerationSeconds: given["default-not-ready-toleration-seconds"] ?? tolerationDefault,
    defaultUnreachableTolerationSeconds: given["default-unreachable-toleration-seconds"] ?? tolerationDefault,
    eventTtlMs: given["event-ttl"] ?? profile.eventTtlMs,
    compactionIntervalMs: given["etcd-compaction-interval"],
    scrubIntervalMs: given["store-scrub-interval"],
    readsInFlightMax: given["max-requests-inflight"],
    writesInFlightMax: given["max-mutating-requests-inflight"],
    logLevel: allowedValue(given["log-level"], logLevels, "log-level"),
  };
}

type Given = ReturnType<typeof readFlags<typeof flags>>;

function kubeletConfig(given: Given): KubeletClientConfig | undefined {
  const files = [
    given["kubelet-client-certificate"],
    given["kubelet-client-key"],
    given["kubelet-certificate-authority"],
  ];
  const [certFile, keyFile, caFile] = files;
  if (certFile !== undefined && keyFile !== undefined && caFile !== undefined) return { certFile, keyFile, caFile };
  if (files.every((file) => file === undefined)) return undefined;
  throw new FlagError(
    "--kubelet-client-certificate, --kubelet-client-key and --kubelet-certificate-authority go together",
  );
}

function busConfig(given: Given): BusConfig | undefined {
  const servers = given["nats-server"];
  const accountSeedFile = given["nats-account-seed-file"];
  if (servers === undefined || servers.length === 0) return undefined;
  if (accountSeedFile === undefined) throw new FlagError("--nats-server needs --nats-account-seed-file");
  return { servers, caFile: given["nats-ca-file"], accountSeedFile };
}
