import { isIP } from "node:net";
import { join } from "node:path";
import { hollowNodesMax, profileNames } from "@kintsugi/api";
import { admissionFlags, enabledPlugins, versionConfig, versionFlags } from "@kintsugi/api-server/factory";
import { flag, FlagError, flagDefaults, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";
import { fleetConfig, fleetFlags } from "@kintsugi/hollow/factory";
import type { ServedClusterOptions } from "../served-cluster-options.ts";
import { knownFlags } from "./known-flags.ts";

/** The files that envtest writes for a kube-apiserver. */
export interface CredentialFiles {
  /** If both are absent, the cluster makes its own certificate. */
  certificate: string | undefined;
  key: string | undefined;
  clientCa: string | undefined;
  serviceAccountSigningKey: string | undefined;
  serviceAccountKeys: readonly string[];
  issuer: string;
  audiences: readonly string[] | undefined;
  tokens: string | undefined;
}

export interface KubeApiserverConfig extends Omit<ServedClusterOptions, "given"> {
  files: CredentialFiles;
  /** Flags of upstream's program that have no effect here. */
  withoutEffect: readonly string[];
  logLevel: LogLevel;
}

/** The environment of a suite, which cannot always change the flags. */
export interface EnvtestEnvironment {
  /** "off": the API server runs alone, as in envtest. */
  KINTSUGI_ENVTEST_CONTROLLERS?: string | undefined;
  KINTSUGI_ENVTEST_NODES?: string | undefined;
}

const table = {
  "bind-address": flag.text({ help: "Address of this host to serve on", fallback: "127.0.0.1" }),
  "secure-port": flag.count({ max: 65_535, help: "Port to serve on; 0 means any free port", fallback: 6443 }),
  "cert-dir": flag.path({
    help: "Directory of apiserver.crt and apiserver.key if --tls-cert-file is not given",
    placeholder: "directory",
  }),
  "tls-cert-file": flag.path({ help: "Server certificate, PEM" }),
  "tls-private-key-file": flag.path({ help: "Private key of the certificate, PEM" }),
  "client-ca-file": flag.path({ help: "Certificate authority of the clients, PEM" }),
  "token-auth-file": flag.path({ help: "Tokens of users, as lines of CSV: token, name, UID and groups" }),
  "service-account-issuer": flag.text({
    help: "Issuer of the tokens of service accounts",
    fallback: "https://kubernetes.default.svc.cluster.local",
  }),
  "service-account-signing-key-file": flag.path({ help: "Key that signs tokens of service accounts, PEM" }),
  "service-account-key-file": flag.list({ help: "Keys that verify tokens of service accounts, PEM", fallback: [] }),
  "api-audiences": flag.list({ help: "Audiences that the server accepts (default: the issuer)" }),
  "service-cluster-ip-range": flag.text({ help: "Range of the cluster IPs of Services", fallback: "10.96.0.0/16" }),
  "etcd-servers": flag.list({ help: "Accepted: the objects are in the memory of this process", fallback: [] }),
  "allow-privileged": flag.boolean({ help: "Accepted: privileged containers are always allowed", fallback: true }),
  "advertise-address": flag.text({ help: "Accepted: pods have no network in which they could reach this server" }),
  "authorization-mode": flag.list({
    help: "Accepted: RBAC and Node are always enabled",
    fallback: ["Node", "RBAC"],
  }),
  ...versionFlags,
  ...admissionFlags,
  nodes: flag.count({
    max: hollowNodesMax,
    help: "Number of nodes, whose containers do not exist (default: $KINTSUGI_ENVTEST_NODES, or 1)",
  }),
  controllers: flag.boolean({
    help: "Run the scheduler, the controllers and the nodes (default: unless $KINTSUGI_ENVTEST_CONTROLLERS is off)",
  }),
  volumes: flag.switch({ help: "Provide simulated disks for claims" }),
  cloud: flag.switch({ help: "Assign addresses to Services of type LoadBalancer" }),
  clock: flag.choice(["real", "steered"], { help: "Time of the cluster", fallback: "real" }),
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "kubernetes" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "error" }),
} as const;

const program = {
  name: "kube-apiserver",
  description:
    "Replaces kube-apiserver in suites of envtest: a whole cluster in one process, which stores its objects in memory.",
};

/** @throws FlagError, HelpRequested. */
export function readKubeApiserverFlags(argv: readonly string[], environment: EnvtestEnvironment): KubeApiserverConfig {
  const { known, others } = knownFlags(argv, table);
  const flags = readFlags(program, table, known);
  const address = flags["bind-address"];
  if (isIP(address) === 0) throw new FlagError(`--bind-address must be an IP address, not ${JSON.stringify(address)}.`);
  const controllers = flags.controllers ?? switchedOn(environment.KINTSUGI_ENVTEST_CONTROLLERS);
  const nodes = flags.nodes ?? nodesIn(environment.KINTSUGI_ENVTEST_NODES);
  return {
    bindAddress: address,
    port: flags["secure-port"],
    dataDirectory: undefined,
    profile: flags.profile,
    clock: flags.clock,
    controllers,
    volumes: controllers && flags.volumes,
    cloud: controllers && flags.cloud,
    server: {
      ...versionConfig(flags),
      admissionPlugins: enabledPlugins(flags),
      serviceClusterIpRange: flags["service-cluster-ip-range"],
    },
    fleet: fleetConfig({
      ...flagDefaults(fleetFlags, flags.profile),
      profile: flags.profile,
      "name-prefix": "node-",
      nodes: controllers ? nodes : 0,
    }),
    files: filesOf(flags),
    withoutEffect: others,
    logLevel: flags["log-level"],
  };
}

type Given = ReturnType<typeof readFlags<typeof table>>;

function filesOf(flags: Given): CredentialFiles {
  const directory = flags["cert-dir"];
  const inDirectory = (name: string) => (directory === undefined ? undefined : join(directory, name));
  const [certificate, key] = [flags["tls-cert-file"], flags["tls-private-key-file"]];
  if ((certificate === undefined) !== (key === undefined))
    throw new FlagError("--tls-cert-file and --tls-private-key-file must be used together");
  return {
    certificate: certificate ?? inDirectory("apiserver.crt"),
    key: key ?? inDirectory("apiserver.key"),
    clientCa: flags["client-ca-file"],
    serviceAccountSigningKey: flags["service-account-signing-key-file"],
    serviceAccountKeys: flags["service-account-key-file"],
    issuer: flags["service-account-issuer"],
    audiences: flags["api-audiences"],
    tokens: flags["token-auth-file"],
  };
}

function switchedOn(text: string | undefined): boolean {
  if (text === undefined || ["", "on", "true", "1"].includes(text)) return true;
  if (["off", "false", "0"].includes(text)) return false;
  throw new FlagError(`$KINTSUGI_ENVTEST_CONTROLLERS must be on or off, not ${JSON.stringify(text)}`);
}

function nodesIn(text: string | undefined): number {
  if (text === undefined || text === "") return 1;
  const count = /^\d+$/.test(text) ? Number(text) : Infinity;
  if (count <= hollowNodesMax) return count;
  throw new FlagError(
    `$KINTSUGI_ENVTEST_NODES must be a whole number up to ${hollowNodesMax}, not ${JSON.stringify(text)}`,
  );
}
