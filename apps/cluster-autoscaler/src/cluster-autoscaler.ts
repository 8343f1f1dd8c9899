import {
  configMaps,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  daemonSets,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import type { CloudProvider } from "@kintsugi/cloud";
import {
  controllerDefiner,
  type ControllerInputs,
  type Informers,
  type LeaderElectionOptions,
  runLedControllers,
  type LedControllersDeps,
} from "@kintsugi/controller";
import { LookLoop } from "./look-loop.ts";
import type { AutoscalerOptions } from "./model/options.ts";

export interface ClusterAutoscalerDeps extends LedControllersDeps {
  cloud: CloudProvider;
}

export interface ClusterAutoscalerOptions {
  scaling: AutoscalerOptions;
  /** Absent: the autoscaler works without electing a leader. */
  leaderElection?: LeaderElectionOptions | undefined;
}

interface Inputs extends ControllerInputs {
  cloud: CloudProvider;
  scaling: AutoscalerOptions;
}

interface Surroundings extends Inputs {
  informers: Informers;
}

const reads = [
  nodes,
  pods,
  namespaces,
  podDisruptionBudgets,
  daemonSets,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  volumeAttachments,
];
/** Every Kintsugi API server serves these kinds. */
const served = [...reads, configMaps];

const scaler = controllerDefiner<Inputs, Surroundings>()({
  name: "cluster-autoscaler",
  options: {},
  roles: [],
  events: "cluster-autoscaler",
  reads,
  create(context) {
    const loop = new LookLoop(context, context.scaling);
    return { periodic: { periodMs: context.scaling.scanIntervalMs, work: (signal) => loop.look(signal) } };
  },
});

/** Keeps node groups as large as pods need them, while it leads, until the signal aborts. */
export async function runClusterAutoscaler(
  deps: ClusterAutoscalerDeps,
  options: ClusterAutoscalerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { cloud } = deps;
  const { scaling, leaderElection } = options;
  const own = () => ({ cloud, scaling });
  await runLedControllers(deps, { controllers: [scaler], served, own, leaderElection }, signal);
}
