import { busFaults } from "./bus.ts";
import { clockFaults } from "./clocks.ts";
import { diskFaults } from "./disk.ts";
import { failpoints } from "./failpoints.ts";
import type { Fault } from "./fault.ts";
import { kills } from "./kills.ts";
import { networkFaults } from "./network.ts";
import { pauses } from "./pauses.ts";
import { runtimeFaults } from "./runtime.ts";
import { serverFaults } from "./servers.ts";

/** All faults of a cluster whose control plane is on the host, each once. */
export const faultList: readonly Fault[] = [
  ...kills,
  ...failpoints,
  ...busFaults,
  ...runtimeFaults,
  ...networkFaults,
  ...diskFaults,
  ...pauses,
  ...clockFaults,
];

/**
 * All faults of a cluster of several servers: the servers' own faults, and the faults of nodes that
 * do not need a proxy before the control plane.
 */
export const sharedFaultList: readonly Fault[] = [
  ...serverFaults,
  ...[
    "a kubelet is killed",
    "containerd is killed",
    "everything is killed at once",
    "a node dies and returns",
    "a node's link is cut",
    "a third of a node's packets are lost",
    "a kubelet stands still",
  ].map(faultNamed),
];

/** @throws Error when the fault does not exist, so that a renamed fault is not omitted. */
function faultNamed(name: string): Fault {
  const fault = faultList.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`there is no fault "${name}"`);
  return fault;
}
