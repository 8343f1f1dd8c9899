import { busFaults } from "./catalogue/bus.ts";
import { clockFaults } from "./catalogue/clock.ts";
import { deviceFaults } from "./catalogue/devices.ts";
import { diskFaults } from "./catalogue/disk.ts";
import { endpointFaults } from "./catalogue/endpoints.ts";
import type { Fault } from "./fault.ts";
import { fenceFaults } from "./catalogue/fence.ts";
import { kubeletFaults, probeFaults } from "./catalogue/kubelet.ts";
import { networkFaults } from "./catalogue/network.ts";
import { nodeFaults } from "./catalogue/nodes.ts";
import { requestFaults } from "./catalogue/requests.ts";
import { rolloutFaults } from "./catalogue/rollouts.ts";
import { runtimeFaults } from "./catalogue/runtime.ts";
import { controlPlaneFaults, serviceFaults } from "./catalogue/services.ts";
import { volumeFaults } from "./catalogue/volumes.ts";
import { desiredChanges } from "./catalogue/desired-changes.ts";

/** All faults of a cluster. */
export const faults: readonly Fault[] = [
  ...nodeFaults,
  ...kubeletFaults,
  ...runtimeFaults,
  ...networkFaults,
  ...serviceFaults,
  ...controlPlaneFaults,
  ...clockFaults,
  ...busFaults,
  ...diskFaults,
  ...desiredChanges,
  ...rolloutFaults,
  ...fenceFaults,
  ...volumeFaults,
  ...deviceFaults,
  ...endpointFaults,
  ...requestFaults,
  ...probeFaults,
];

export function findFault(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name);
}

/** Reports whether a user causes the fault, in contrast to a fault of the cluster. */
export function isDesiredChange(name: string): boolean {
  return desiredChanges.some((fault) => fault.name === name) || findFault(name)?.byUsers === true;
}
