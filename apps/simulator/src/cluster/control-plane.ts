import { type ChangeStream, type Logger, silentMetrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { createControllerManager } from "@kintsugi/controller-manager/factory";
import { createScheduler } from "@kintsugi/scheduler/factory";
import { type Death, type Life, VirtualProcess } from "@kintsugi/simulation";
import { type ClusterTimers, controllerTimers, election } from "./timers.ts";

export interface ControlPlaneDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  /** A service's ways into the cluster, for one life of it. */
  connect: (service: string, life: Life) => { client: Client; changes: ChangeStream | undefined };
  onDeath: (death: Death) => void;
}

export interface ControlPlaneOptions {
  timers: ClusterTimers;
  /** Whether the service runs for election, as in a real cluster; otherwise it is alone, and works as soon as it is started. */
  leaderElection: boolean;
}

/** The scheduler. */
export function schedulerProcess(deps: ControlPlaneDeps, options: ControlPlaneOptions): VirtualProcess {
  const { clock, random, log, connect, onDeath } = deps;
  const run = async (signal: AbortSignal, life: Life) => {
    const leaderElection = options.leaderElection
      ? election(options.timers, "kube-scheduler", `virtual_${random.uuid()}`)
      : undefined;
    const links = connect("kube-scheduler", life);
    await createScheduler({ ...links, clock, random, log, metrics: silentMetrics }, { leaderElection }).run(signal);
  };
  return new VirtualProcess({ clock, onDeath, run }, { name: "scheduler" });
}

/** The controller-manager, likewise. */
export function controllerManagerProcess(deps: ControlPlaneDeps, options: ControlPlaneOptions): VirtualProcess {
  const { clock, random, log, connect, onDeath } = deps;
  const run = async (signal: AbortSignal, life: Life) => {
    const leaderElection = options.leaderElection
      ? election(options.timers, "kube-controller-manager", `virtual_${random.uuid()}`)
      : undefined;
    const links = connect("kube-controller-manager", life);
    const setup = { ...controllerTimers(options.timers), leaderElection };
    await createControllerManager({ ...links, clock, random, log, metrics: silentMetrics }, setup).run(signal);
  };
  return new VirtualProcess({ clock, onDeath, run }, { name: "controller-manager" });
}
