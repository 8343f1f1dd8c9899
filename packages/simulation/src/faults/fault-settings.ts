import { SeededRandom } from "@kintsugi/clock/simulated";
import { suggest } from "@kintsugi/yaml-text";
import type { FaultSettings } from "../scenario/scenario.ts";
import type { Fault } from "./fault.ts";

/**
 * The settings that the fault accepts, each with a usual value or a random value, as for a seed.
 */
export function settingsOf(fault: Fault): FaultSettings {
  return { ...fault.settings, ...fault.draw?.(new SeededRandom(1), { profile: "fast" }) };
}

/** Finds the settings that the fault does not have or cannot parse, each with a sentence. */
export function wrongSettings(fault: Fault, given: FaultSettings): [name: string, message: string][] {
  const settings = settingsOf(fault);
  return Object.entries(given).flatMap(([name, value]): [string, string][] => {
    const usual = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (usual === undefined)
      return [[name, `unknown setting "${name}" of ${fault.name}; ${suggest(name, Object.keys(settings))}`]];
    return typeof usual === typeof value
      ? []
      : [[name, `"${value}" is not a ${typeof usual === "number" ? "number" : "text"}`]];
  });
}
