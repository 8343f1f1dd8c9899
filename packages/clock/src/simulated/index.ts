export { advanceUntilDone } from "./advance-until-done.ts";
export { SeededRandom } from "./seeded-random.ts";
export { VirtualClock } from "./virtual-clock.ts";
