import type { Clock } from "@kintsugi/clock";
import { type ControllerManagerDeps, createControllerManager } from "@kintsugi/controller-manager/factory";
import { createScheduler } from "@kintsugi/scheduler/factory";
import { type Incarnation, VirtualProcess } from "@kintsugi/simulation";
import type { ServiceDeps } from "./service-deps.ts";
import { type ClusterTimers, controllerTimers, election } from "./timers.ts";

export interface ControlPlaneDeps extends ServiceDeps {
  queueStarts?: ControllerManagerDeps["queueStarts"];
  /** The authorities of the cluster; a simulated run has no certificates. */
  authorities?: Pick<ControllerManagerDeps, "signing" | "rootCa" | "apiServerNames">;
}

export interface ControlPlaneOptions {
  timers: ClusterTimers;
  /**
   * True if the service uses leader election, as in a real cluster; otherwise it works as soon as
   * it is started.
   */
  leaderElection: boolean;
  /** True if the controller-manager moves crowded pods. Default: false. */
  rebalance?: boolean;
  /** The value of the controller-manager's `--controllers`. Default: all controllers run. */
  controllers?: readonly string[] | undefined;
  /**
   * The name of the process, which differs if a service has a second process. Default: the
   * service's name.
   */
  name?: string;
}

export function schedulerProcess(deps: ControlPlaneDeps, options: ControlPlaneOptions): VirtualProcess {
  const { name = "scheduler" } = options;
  const { clock: trueClock, randomSource, log, levels, connect, onDeath } = deps;
  const run = async (signal: AbortSignal, incarnation: Incarnation, clock: Clock) => {
    const random = randomSource.of(name);
    const leaderElection = options.leaderElection
      ? election(options.timers, "kube-scheduler", `virtual_${random.uuid()}`)
      : undefined;
    const links = connect(name, { incarnation, clock });
    const metrics = levels.metricsOf(name, incarnation);
    await createScheduler({ ...links, clock, random, log, metrics }, { leaderElection }).run(signal);
  };
  return new VirtualProcess({ clock: trueClock, onDeath, run }, { name });
}

export function controllerManagerProcess(deps: ControlPlaneDeps, options: ControlPlaneOptions): VirtualProcess {
  const { name = "controller-manager" } = options;
  const { clock: trueClock, randomSource, log, levels, connect, onDeath } = deps;
  const run = async (signal: AbortSignal, incarnation: Incarnation, clock: Clock) => {
    const random = randomSource.of(name);
    const leaderElection = options.leaderElection
      ? election(options.timers, "kube-controller-manager", `virtual_${random.uuid()}`)
      : undefined;
    const links = connect(name, { incarnation, clock });
    const { timers, rebalance = false, controllers } = options;
    const setup = { ...controllerTimers(timers), rebalance, controllers, leaderElection };
    const metrics = levels.metricsOf(name, incarnation);
    await createControllerManager(
      { ...links, clock, random, log, metrics, ...deps.authorities, queueStarts: deps.queueStarts },
      setup,
    ).run(signal);
  };
  return new VirtualProcess({ clock: trueClock, onDeath, run }, { name });
}
