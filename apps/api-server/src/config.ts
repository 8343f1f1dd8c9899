import { isIP, isIPv4 } from "node:net";
import { profileNames, profiles } from "@kintsugi/api";
import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import { admissionFlags, enabledPlugins, reservedAddresses } from "./admission-plugins.ts";
import { auditConfig, auditFlags } from "./audit/audit-config.ts";
import { authenticationConfig, authenticationFlags } from "./authentication/jwt/oidc-flags.ts";
import { encryptionConfig, encryptionFlags } from "./encryption/encryption-flags.ts";
import type { BusConfig } from "./bus/open-bus.ts";
import { etcdConfig, etcdFlags } from "./storage/etcd-config.ts";
import { versionConfig, versionFlags } from "./resources/version-flags.ts";
import { tracesEndpoint, tracesFlags } from "./traces/traces-config.ts";
import { defaultServerOptions, timerOptions } from "./server-options.ts";

/** The command line of the api-server, completed. */
export type ApiServerConfig = ReturnType<typeof readOptions>;

/**
 * The server's client certificate for kubelets, and the authority of the kubelets' certificates.
 */
interface KubeletClientConfig {
  certFile: string;
  keyFile: string;
  caFile: string;
}

/** The client certificate for other API servers, and its authority. */
interface FrontProxyConfig {
  certFile: string;
  keyFile: string;
  caFile: string;
  allowedNames: readonly string[];
}

/** The key that signs service account tokens, and the audiences of the tokens. */
interface ServiceAccountConfig {
  signingKeyFile: string;
  keyFiles: readonly string[];
  keysUri: string | undefined;
  issuer: string;
  audiences: readonly string[];
}

const byDefault = profiles.default;

const minute = 60_000;

/** Limit of HTTP workers. The store's owner is one process, whose processor 64 workers exceed. */
const httpWorkersMax = 64;

export const options = {
  "data-dir": flag.path({
    help: "Directory of the store, or only of the timeline where etcd holds the objects",
    placeholder: "directory",
    required: true,
    example: "/var/lib/kintsugi/store",
  }),
  ...etcdFlags,
  "bind-address": flag.list({ help: "Addresses to serve on", fallback: ["0.0.0.0"] }),
  "advertise-address": flag.text({
    help: "Address that the Service kubernetes publishes to pods (default: the first served address that is not a loopback address)",
    placeholder: "address",
    example: "192.0.2.10",
  }),
  "secure-port": flag.port({ help: "Port to serve on", fallback: 6443 }),
  "tls-cert-file": flag.path({
    help: "Server certificate, PEM",
    required: true,
    example: "/etc/kintsugi/pki/api-server.crt",
  }),
  "tls-private-key-file": flag.path({
    help: "Private key of the certificate, PEM",
    required: true,
    example: "/etc/kintsugi/pki/api-server.key",
  }),
  "client-ca-file": flag.path({
    help: "Certificate authority of the clients, PEM",
    required: true,
    example: "/etc/kintsugi/pki/ca.crt",
    key: "clientCAFile",
  }),
  "kubelet-client-certificate": flag.path({
    help: "Client certificate for connections to kubelets, PEM",
    example: "/etc/kintsugi/pki/api-server-kubelet-client.crt",
  }),
  "kubelet-client-key": flag.path({
    help: "Private key of the certificate, PEM",
    example: "/etc/kintsugi/pki/api-server-kubelet-client.key",
  }),
  "kubelet-certificate-authority": flag.path({
    help: "Certificate authority of the kubelets, PEM",
    example: "/etc/kintsugi/pki/ca.crt",
  }),
  "proxy-client-cert-file": flag.path({
    help: "Client certificate by which other API servers identify this server, PEM; other API servers do not trust the headers of a server without this certificate",
    example: "/etc/kintsugi/pki/front-proxy-client.crt",
  }),
  "proxy-client-key-file": flag.path({
    help: "Private key of the certificate, PEM",
    example: "/etc/kintsugi/pki/front-proxy-client.key",
  }),
  "requestheader-client-ca-file": flag.path({
    help: "Certificate authority of --proxy-client-cert-file, PEM, which other API servers read from the cluster; it must differ from the authority of clients",
    example: "/etc/kintsugi/pki/front-proxy-ca.crt",
    key: "requestheaderClientCAFile",
  }),
  "requestheader-allowed-names": flag.list({
    help: "Common names that the certificate may have",
    fallback: ["front-proxy-client"],
  }),
  "nats-server": flag.list({
    help: "NATS servers that receive change events; without them clients watch over HTTP",
    example: ["tls://192.0.2.10:4222"],
  }),
  "nats-ca-file": flag.path({
    help: "Certificate authority of the NATS servers, PEM",
    example: "/etc/kintsugi/pki/ca.crt",
    key: "natsCAFile",
  }),
  "nats-account-seed-file": flag.path({
    help: "Seed of the account key that signs bus credentials",
    example: "/etc/kintsugi/pki/nats-account.seed",
  }),
  "cluster-name": flag.text({ help: "Name of the cluster on the bus", fallback: defaultServerOptions.clusterName }),
  "service-account-signing-key-file": flag.path({
    help: "Key that signs tokens of service accounts, PEM, RSA or P-256; pods do not get tokens without this key",
    example: "/etc/kintsugi/pki/sa.key",
  }),
  "service-account-key-file": flag.list({
    help: "Files with further keys that verify tokens of service accounts and are published, PEM, RSA or P-256, public or private; tokens of an earlier signing key stay valid",
    example: ["/etc/kintsugi/pki/sa-old.pub"],
  }),
  "service-account-issuer": flag.text({
    help: "Issuer of the tokens",
    fallback: "https://kubernetes.default.svc.cluster.local",
  }),
  "service-account-jwks-uri": flag.text({
    help: "URL of the keys that verify tokens, in the issuer's discovery document (default: this server)",
    example: "https://keys.example.com/openid/v1/jwks",
  }),
  "api-audiences": flag.list({
    help: "Audiences that the server accepts, and the audiences of a token whose request does not name any (default: the issuer)",
    example: ["https://kubernetes.default.svc.cluster.local"],
  }),
  "service-account-max-token-expiration": flag.durationMs({
    help: "Longest validity of a service account token, from 1h to 2^32 s; longer requests are shortened; 0 for no limit",
    fallback: defaultServerOptions.tokenLifeMaxMs,
  }),
  "service-cluster-ip-range": flag.text({
    help: "Range of the cluster IPs of Services",
    fallback: defaultServerOptions.serviceClusterIpRange,
    key: "serviceClusterIPRange",
  }),
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
  "default-not-ready-toleration-seconds": flag.count({
    help: "Seconds that pods without a toleration of their own tolerate a node that is not ready (default: by profile)",
    example: byDefault.defaultTolerationSeconds,
  }),
  "default-unreachable-toleration-seconds": flag.count({
    help: "Seconds that pods without a toleration of their own tolerate an unreachable node (default: by profile)",
    example: byDefault.defaultTolerationSeconds,
  }),
  ...timerOptions,
  "etcd-compaction-interval": flag.durationMs({
    help: "Interval between two compactions of the history; 0 disables them",
    fallback: defaultServerOptions.compactionIntervalMs,
  }),
  "shutdown-delay-duration": flag.durationMs({
    help: "Time from the termination signal to the exit, during which requests are served and /readyz fails, so that balancers choose other servers",
    fallback: 0,
  }),
  "store-scrub-interval": flag.durationMs({
    help: "Interval between two scrubs, which read the whole store again and compare it with the written data; 0 disables them",
    fallback: defaultServerOptions.scrubIntervalMs,
  }),
  "max-requests-inflight": flag.count({
    min: 1,
    help: "Read requests that are served at the same time",
    fallback: defaultServerOptions.readsInFlightMax,
  }),
  "max-mutating-requests-inflight": flag.count({
    min: 1,
    help: "Mutating requests that are served at the same time",
    fallback: defaultServerOptions.writesInFlightMax,
  }),
  "enable-priority-and-fairness": flag.boolean({
    help: "Divide the sum of the two limits among requests by FlowSchemas and PriorityLevelConfigurations, with queues, instead of rejecting requests beyond a limit",
    fallback: defaultServerOptions.priorityAndFairness,
  }),
  ...auditFlags,
  "token-auth-file": flag.path({
    help: "Tokens of users, as lines of CSV: token, name, UID and groups",
    example: "/etc/kintsugi/tokens.csv",
  }),
  ...authenticationFlags,
  ...encryptionFlags,
  "http2-max-streams-per-connection": flag.count({
    help: "Concurrent requests of one HTTP/2 connection; 0 means the default of 100",
    fallback: 0,
    key: "http2MaxStreamsPerConnection",
  }),
  "http-workers": flag.count({
    max: httpWorkersMax,
    help: "Processes that do the work of TLS and HTTP, for a machine with unused cores; 0: this process does it",
    fallback: 0,
    key: "httpWorkers",
  }),
  "admission-control-config-file": flag.path({
    help: "AdmissionConfiguration (apiserver.config.k8s.io/v1) with the configuration of the plugin PodSecurity",
    example: "/etc/kintsugi/admission.yaml",
  }),
  ...admissionFlags,
  ...versionFlags,
  "dashboard-dir": flag.path({
    help: "Directory of the page below /dashboard/ (default: the page that is installed with this server)",
    placeholder: "directory",
    example: "/opt/kintsugi/apps/dashboard/bundle",
  }),
  ...tracesFlags,
} as const;

/** Completes the values of the flags. @throws FlagError */
export function readOptions(given: Given) {
  const tolerationDefault = Math.round(given["pod-eviction-timeout"] / 1000);
  return {
    dataDir: given["data-dir"],
    etcd: etcdConfig(given),
    bindAddresses: bindAddresses(given),
    securePort: given["secure-port"],
    tlsCertFile: given["tls-cert-file"],
    tlsPrivateKeyFile: given["tls-private-key-file"],
    clientCaFile: given["client-ca-file"],
    kubelet: kubeletConfig(given),
    bus: busConfig(given),
    frontProxy: frontProxyConfig(given),
    clusterName: given["cluster-name"],
    profile: given["profile"],
    dashboardDirectory: given["dashboard-dir"],
    serviceAccounts: serviceAccountConfig(given),
    tokenLifeMaxMs: tokenLifeMaxMs(given),
    serviceClusterIpRange: given["service-cluster-ip-range"],
    advertiseAddress: advertiseAddress(given),
    defaultNotReadyTolerationSeconds: given["default-not-ready-toleration-seconds"] ?? tolerationDefault,
    defaultUnreachableTolerationSeconds: given["default-unreachable-toleration-seconds"] ?? tolerationDefault,
    eventTtlMs: given["event-ttl"],
    compactionIntervalMs: given["etcd-compaction-interval"],
    scrubIntervalMs: given["store-scrub-interval"],
    shutdownDelayMs: given["shutdown-delay-duration"],
    readsInFlightMax: given["max-requests-inflight"],
    writesInFlightMax: given["max-mutating-requests-inflight"],
    priorityAndFairness: given["enable-priority-and-fairness"],
    flowObjects: true,
    audit: auditConfig(given),
    tokenFile: given["token-auth-file"],
    authentication: authenticationConfig(given),
    ...encryptionConfig(given),
    httpWorkers: given["http-workers"],
    streamsPerConnectionMax: given["http2-max-streams-per-connection"] || undefined,
    admissionControlConfigFile: given["admission-control-config-file"],
    admissionPlugins: enabledPlugins(given),
    reservedAddresses: reservedAddresses(given),
    tracesEndpoint: tracesEndpoint(given),
    ...versionConfig(given),
  };
}

type Given = FlagValues<typeof options>;

/**
 * Only addresses are allowed, not names, as upstream's `--bind-address` requires. For "localhost"
 * fastify would open a second server, whose connections have no limit.
 */
function bindAddresses(given: Given): readonly string[] {
  const asked = given["bind-address"];
  const name = asked.find((each) => isIP(each) === 0);
  if (name === undefined) return asked;
  throw new FlagError(`--bind-address must be an IP address, not ${JSON.stringify(name)}.`);
}

function advertiseAddress(given: Given): string | undefined {
  const asked = given["advertise-address"];
  if (asked === undefined || isIPv4(asked)) return asked;
  throw new FlagError(`--advertise-address must be an IPv4 address, not ${JSON.stringify(asked)}.`);
}

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
    "--kubelet-client-certificate, --kubelet-client-key and --kubelet-certificate-authority must be set together",
  );
}

function frontProxyConfig(given: Given): FrontProxyConfig | undefined {
  const files = [
    given["proxy-client-cert-file"],
    given["proxy-client-key-file"],
    given["requestheader-client-ca-file"],
  ] as const;
  const [certFile, keyFile, caFile] = files;
  if (certFile !== undefined && keyFile !== undefined && caFile !== undefined) {
    return { certFile, keyFile, caFile, allowedNames: given["requestheader-allowed-names"] };
  }
  if (files.every((file) => file === undefined)) return undefined;
  throw new FlagError(
    "--proxy-client-cert-file, --proxy-client-key-file and --requestheader-client-ca-file must be set together",
  );
}

function serviceAccountConfig(given: Given): ServiceAccountConfig | undefined {
  const signingKeyFile = given["service-account-signing-key-file"];
  const issuer = given["service-account-issuer"];
  if (signingKeyFile === undefined) return undefined;
  const keysUri = given["service-account-jwks-uri"];
  if (keysUri !== undefined && !URL.canParse(keysUri)) {
    throw new FlagError(`--service-account-jwks-uri must be a URL, not ${JSON.stringify(keysUri)}`);
  }
  const keyFiles = given["service-account-key-file"] ?? [];
  return { signingKeyFile, keyFiles, issuer, audiences: given["api-audiences"] ?? [issuer], keysUri };
}

/**
 * A token with a shorter life could expire before its holder renews it. The bounds are upstream's.
 */
const [tokenLifeLeastMs, tokenLifeMostMs] = [60 * minute, 2 ** 32 * 1000] as const;

function tokenLifeMaxMs(given: Given): number {
  const asked = given["service-account-max-token-expiration"];
  if (asked === 0 || (asked >= tokenLifeLeastMs && asked <= tokenLifeMostMs)) return asked;
  throw new FlagError("--service-account-max-token-expiration must be between 1 hour and 2^32 seconds, or 0");
}

function busConfig(given: Given): BusConfig | undefined {
  const servers = given["nats-server"];
  const accountSeedFile = given["nats-account-seed-file"];
  if (servers === undefined || servers.length === 0) return undefined;
  if (accountSeedFile === undefined) throw new FlagError("--nats-server needs --nats-account-seed-file");
  return { servers, caFile: given["nats-ca-file"], accountSeedFile };
}
