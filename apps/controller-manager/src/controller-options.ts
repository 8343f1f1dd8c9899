import { strict as assert } from "node:assert";
import type { ProfileName, TimerProfile } from "@kintsugi/api";
import { type Option, optionDefaults, type OptionTable, type OptionValues } from "@kintsugi/daemon";
import { controllers } from "./controllers.ts";

type EveryTable = (typeof controllers)[number]["options"];
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never;

/** The options of all controllers. Each option is declared next to its controller. */
export const controllerOptions = mergedOptions(controllers.map(({ options }) => options)) as Intersection<EveryTable>;

export type ControllerManagerOptions = OptionValues<typeof controllerOptions>;

/** The options of a process without flags. */
export function controllerDefaults(profile: ProfileName = "default", timers?: TimerProfile): ControllerManagerOptions {
  return optionDefaults(controllerOptions, profile, timers);
}

/** Describes the conflict between the options; undefined if they do not conflict. */
export function findOptionProblem(options: ControllerManagerOptions): string | undefined {
  for (const controller of controllers) {
    const problem = controller.findOptionProblem(options);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Two controllers may share an option, but two different options never share a name or a flag. */
function mergedOptions(tables: readonly OptionTable[]): OptionTable {
  const merged: Record<string, Option> = {};
  const byFlag = new Map<string, Option>();
  for (const [name, option] of tables.flatMap((table) => Object.entries(table))) {
    const isClear = (merged[name] ?? option) === option && (byFlag.get(option.flag) ?? option) === option;
    assert(isClear, `two controllers declare --${option.flag} or ${name} differently`);
    merged[name] = option;
    byFlag.set(option.flag, option);
  }
  return merged;
}
