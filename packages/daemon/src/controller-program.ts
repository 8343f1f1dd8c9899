import { profileNames } from "@kintsugi/api";
import type { HealthServerOptions } from "./health-server.ts";
import { flag, type FlagValues } from "./config/flag.ts";
import { healthServerConfig, healthServerFlags } from "./config/health-server-flags.ts";
import { logLevelFlag } from "./config/log-level-flag.ts";
import {
  type LeaderElectionConfig,
  leaderElectionConfig,
  leaderElectionFlags,
} from "./config/leader-election-flags.ts";

/** The options that every program of controllers has in addition to its own options. */
export interface ControllerProgramConfig {
  kubeconfig: string;
  health: HealthServerOptions;
  /** Undefined with `--leader-elect=false`. */
  leaderElection: LeaderElectionConfig | undefined;
}

interface ControllerProgram {
  /** The name of its kubeconfig and its certificate: "scheduler". */
  name: string;
  /** The port of health and metrics. */
  port: number;
  /** The name of its Lease: "kube-scheduler". */
  lease: string;
}

/** The flags of those options. */
export function controllerProgramFlags({ name, port, lease }: ControllerProgram) {
  return {
    kubeconfig: flag.path({
      help: "Kubeconfig with the API server's address and the client's credentials",
      required: true,
      example: `/etc/kintsugi/${name}.kubeconfig`,
    }),
    ...healthServerFlags({ name, port }),
    ...leaderElectionFlags(lease),
    profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
    ...logLevelFlag,
  };
}

/** The values that were read. */
export function controllerProgramConfig(
  given: FlagValues<ReturnType<typeof controllerProgramFlags>>,
): ControllerProgramConfig {
  return {
    kubeconfig: given.kubeconfig,
    health: healthServerConfig(given),
    leaderElection: leaderElectionConfig(given),
  };
}
