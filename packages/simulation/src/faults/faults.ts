import { busFaults } from "./bus.ts";
import { diskFaults } from "./disk.ts";
import type { Fault } from "./fault.ts";
import { kubeletFaults } from "./kubelet.ts";
import { nodeFaults } from "./nodes.ts";
import { runtimeFaults } from "./runtime.ts";
import { serviceFaults } from "./services.ts";
import { wishFaults } from "./wishes.ts";

/** Everything that can be done to a cluster. */
export const faults: readonly Fault[] = [
  ...nodeFaults,
  ...kubeletFaults,
  ...runtimeFaults,
  ...serviceFaults,
  ...busFaults,
  ...diskFaults,
  ...wishFaults,
];

export function findFault(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name);
}
