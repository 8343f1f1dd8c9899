import { profileNames } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  flag,
  type HealthServerOptions,
  healthServerConfig,
  healthServerFlags,
  type LeaderElectionConfig,
  leaderElectionConfig,
  leaderElectionFlags,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";

/** The command line of the service, completed. */
export interface CsiControllerConfig {
  kubeconfig: string;
  /** "unix:///run/csi.sock". */
  csiAddress: string;
  /** The time that an answer of the driver may take. */
  callTimeoutMs: number;
  health: HealthServerOptions;
  leaderElection: LeaderElectionConfig | undefined;
  logLevel: LogLevel;
}

const program: ConfiguredProgram = {
  name: "csi-controller",
  description: "Makes, attaches and deletes the volumes of one CSI driver.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "CsiControllerConfiguration" },
};

const flags = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/csi-controller.kubeconfig",
  }),
  "csi-address": flag.path({
    help: "Path of the driver's socket",
    required: true,
    example: "/run/kintsugi/csi.sock",
  }),
  timeout: flag.durationMs({ help: "Time that an answer of the driver may take", fallback: 15_000 }),
  ...healthServerFlags({ name: "csi-controller", port: 10261 }),
  ...leaderElectionFlags("kintsugi-csi-controller"),
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): CsiControllerConfig {
  const given = readFlags(program, flags, argv);
  return {
    kubeconfig: given.kubeconfig,
    csiAddress: `unix://${given["csi-address"]}`,
    callTimeoutMs: given.timeout,
    health: healthServerConfig(given),
    leaderElection: leaderElectionConfig(given),
    logLevel: given["log-level"],
  };
}
