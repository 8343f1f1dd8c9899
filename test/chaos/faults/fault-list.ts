import { busFaults } from "./bus.ts";
import { clockFaults } from "./clocks.ts";
import { diskFaults } from "./disk.ts";
import { failpoints } from "./failpoints.ts";
import type { Fault } from "./fault.ts";
import { kills } from "./kills.ts";
import { networkFaults } from "./network.ts";
import { pauses } from "./pauses.ts";
import { runtimeFaults } from "./runtime.ts";

/** Every fault there is, each once. */
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
