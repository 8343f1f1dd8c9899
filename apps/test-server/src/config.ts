import {
  admissionFlags,
  enabledPlugins,
  type ServerOptions,
  versionConfig,
  versionFlags,
} from "@kintsugi/api-server/factory";
import { hollowNodesMax, profileNames } from "@kintsugi/api";
import { flag, FlagError, type FlagValues, logLevels } from "@kintsugi/daemon";
import { fleetConfig, fleetFlags } from "@kintsugi/hollow/factory";
import type { EnvtestEnvironment } from "./envtest/kube-apiserver-flags.ts";
import type { ServedClusterOptions } from "./served-cluster-options.ts";

/** The command line of a test server, completed. */
export type TestServerConfig = ReturnType<typeof readOptions>;

export const options = {
  nodes: flag.count({ max: hollowNodesMax, help: "Number of nodes, called node-1, node-2, …", fallback: 3 }),
  port: flag.count({ max: 65_535, help: "Port of the API; 0 means any free port", fallback: 0 }),
  "bind-address": flag.text({ help: "Address of this host on which the API is served", fallback: "127.0.0.1" }),
  kubeconfig: flag.path({
    help: "Kubeconfig that receives the context (default: the file that kubectl uses; with --json a separate file of the server)",
  }),
  context: flag.text({ help: "Name of the context (default: kintsugi-test-server)" }),
  json: flag.switch({ help: "Print one JSON object per line: the server's address and credentials, then its end" }),
  "with-parent": flag.switch({ help: "End when the parent process ends, or closes the standard input" }),
  "data-dir": flag.path({
    help: "Directory in which the objects are stored (default: they are stored in memory)",
    placeholder: "directory",
  }),
  ...fleetFlags,
  "name-prefix": { ...fleetFlags["name-prefix"], fallback: "node-" },
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "kubernetes" }),
  clock: flag.choice(["real", "steered"], {
    help: "Time of the cluster: real time, or a clock that is paused until `kintsugi clock` moves it",
    fallback: "real",
  }),
  volumes: flag.switch({ help: "Provide simulated disks for claims, by the classes standard and immediate" }),
  cloud: flag.switch({ help: "Assign addresses to Services of type LoadBalancer; the addresses are not reachable" }),
  ...versionFlags,
  ...admissionFlags,
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "error" }),
} as const;

/** Completes the values of the flags. @throws FlagError */
export function readOptions(flags: FlagValues<typeof options>) {
  const server: Partial<ServerOptions> = { ...versionConfig(flags), admissionPlugins: enabledPlugins(flags) };
  const contextName = flags.context;
  if (contextName !== undefined && contextName.trim() === "") throw new FlagError("--context must not be empty");
  const cluster: ServedClusterOptions = {
    bindAddress: flags["bind-address"],
    port: flags.port,
    dataDirectory: flags["data-dir"],
    profile: flags.profile,
    clock: flags.clock,
    volumes: flags.volumes,
    cloud: flags.cloud,
    server,
    fleet: fleetConfig(flags),
  };
  return {
    ...cluster,
    // Undefined: the kubeconfig that kubectl uses, or with `--json` a file of the server.
    kubeconfig: flags.kubeconfig,
    // Undefined: the name includes the port if the default name is in use.
    contextName,
    json: flags.json,
    withParent: flags["with-parent"],
    environment: kubectlEnvironment(),
  };
}

/** Returns the settings of an envtest suite, which may leave the flags to envtest. */
export function envtestEnvironment(): EnvtestEnvironment {
  const { KINTSUGI_ENVTEST_CONTROLLERS, KINTSUGI_ENVTEST_NODES } = process.env;
  return { KINTSUGI_ENVTEST_CONTROLLERS, KINTSUGI_ENVTEST_NODES };
}

/** Returns the place of the kubeconfig that kubectl uses. */
export function kubectlEnvironment(): { KUBECONFIG: string | undefined; HOME: string | undefined } {
  return { KUBECONFIG: process.env["KUBECONFIG"], HOME: process.env["HOME"] };
}
