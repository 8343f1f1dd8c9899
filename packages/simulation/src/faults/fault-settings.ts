import { SeededRandom } from "@kintsugi/clock/testing";
import type { FaultSettings } from "../scenario/scenario.ts";
import type { Fault } from "./fault.ts";

/** The settings that the fault accepts, each with a value as a seed would draw it. */
export function settingsOf(fault: Fault): FaultSettings {
  return fault.draw?.(new SeededRandom(1), { profile: "fast" }) ?? {};
}
