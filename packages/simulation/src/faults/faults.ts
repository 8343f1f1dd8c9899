import { busFaults } from "./bus.ts";
import { clockFaults } from "./clock.ts";
import { diskFaults } from "./disk.ts";
import type { Fault } from "./fault.ts";
import { kubeletFaults } from "./kubelet.ts";
import { networkFaults } from "./network.ts";
import { nodeFaults } from "./nodes.ts";
import { rolloutFaults } from "./rollouts.ts";
import { runtimeFaults } from "./runtime.ts";
import { serviceFaults } from "./services.ts";
import { wishFaults } from "./wishes.ts";

/** Everything that can be done to a cluster. */
export const faults: readonly Fault[] = [
  ...nodeFaults,
  ...kubeletFaults,
  ...runtimeFaults,
  ...networkFaults,
  ...serviceFaults,
  ...clockFaults,
  ...busFaults,
  ...diskFaults,
  ...wishFaults,
  ...rolloutFaults,
];

export function findFault(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name);
}

/** Whether it is something that users do, and not something that befalls the cluster. */
export function isWish(name: string): boolean {
  return wishFaults.some((fault) => fault.name === name) || findFault(name)?.byUsers === true;
}
