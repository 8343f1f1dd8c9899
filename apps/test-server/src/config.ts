import {
  admissionFlags,
  enabledPlugins,
  type ServerOptions,
  versionConfig,
  versionFlags,
} from "@kintsugi/api-server/factory";
import { hollowNodesMax, profileNames } from "@kintsugi/api";
import { flag, FlagError, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";
import { fleetConfig, fleetFlags } from "@kintsugi/hollow/factory";
import type { EnvtestEnvironment } from "./envtest/kube-apiserver-flags.ts";
import type { ServedClusterOptions } from "./served-cluster-options.ts";

/** The command line of a test server, completed. */
export interface TestServerConfig extends ServedClusterOptions {
  /** Undefined: the kubeconfig that kubectl uses, or with `json` a file of the server. */
  kubeconfig: string | undefined;
  /** Name of the context; undefined: made of the port where the default name is taken. */
  contextName: string | undefined;
  json: boolean;
  withParent: boolean;
  logLevel: LogLevel;
  environment: { KUBECONFIG: string | undefined; HOME: string | undefined };
}

const table = {
  nodes: flag.count({ max: hollowNodesMax, help: "Number of nodes, called node-1, node-2, …", fallback: 3 }),
  port: flag.count({ max: 65_535, help: "Port of the API; 0 means any free port", fallback: 0 }),
  "bind-address": flag.text({ help: "Address of this host on which the API is served", fallback: "127.0.0.1" }),
  kubeconfig: flag.path({
    help: "Kubeconfig that receives the context (default: the file that kubectl uses; with --json a file of the server's own)",
  }),
  context: flag.text({ help: "Name of the context (default: kintsugi-test-server)" }),
  json: flag.switch({ help: "Print JSON, a line each: the server's address and credentials, then its end" }),
  "with-parent": flag.switch({ help: "End when the parent process ends, or closes the standard input" }),
  "data-dir": flag.path({
    help: "Directory in which the objects are kept (default: they are kept in memory)",
    placeholder: "directory",
  }),
  ...fleetFlags,
  "name-prefix": { ...fleetFlags["name-prefix"], fallback: "node-" },
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "kubernetes" }),
  clock: flag.choice(["real", "steered"], {
    help: "Time of the cluster: that of this machine, or a clock that stands still until `kintsugi clock` moves it",
    fallback: "real",
  }),
  volumes: flag.switch({ help: "Give claims disks that do not exist, by the classes standard and immediate" }),
  cloud: flag.switch({ help: "Give Services of type LoadBalancer addresses, which lead nowhere" }),
  ...versionFlags,
  ...admissionFlags,
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "error" }),
} as const;

const program = {
  name: "kintsugi test-server",
  description:
    "Runs a whole cluster in one process, without root and without containers: the API server, the scheduler, the controllers and nodes whose containers do not exist.",
};

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): TestServerConfig {
  const flags = readFlags(program, table, argv);
  const server: Partial<ServerOptions> = { ...versionConfig(flags), admissionPlugins: enabledPlugins(flags) };
  const contextName = flags.context;
  if (contextName !== undefined && contextName.trim() === "") throw new FlagError("--context must not be empty");
  return {
    bindAddress: flags["bind-address"],
    port: flags.port,
    dataDirectory: flags["data-dir"],
    profile: flags.profile,
    clock: flags.clock,
    volumes: flags.volumes,
    cloud: flags.cloud,
    server,
    fleet: fleetConfig({ ...flags, nodes: flags.nodes }),
    kubeconfig: flags.kubeconfig,
    contextName,
    json: flags.json,
    withParent: flags["with-parent"],
    logLevel: flags["log-level"],
    environment: kubectlEnvironment(),
  };
}

/** Returns the settings of a suite of envtest, which may leave the flags to envtest. */
export function envtestEnvironment(): EnvtestEnvironment {
  const { KINTSUGI_ENVTEST_CONTROLLERS, KINTSUGI_ENVTEST_NODES } = process.env;
  return { KINTSUGI_ENVTEST_CONTROLLERS, KINTSUGI_ENVTEST_NODES };
}

/** Returns the place of the kubeconfig that kubectl uses. */
export function kubectlEnvironment(): TestServerConfig["environment"] {
  return { KUBECONFIG: process.env["KUBECONFIG"], HOME: process.env["HOME"] };
}
