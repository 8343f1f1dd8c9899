import type { Goal } from "@kintsugi/story";
import { UsageError } from "../scenarios/find-scenario.ts";

/**
 * The settings of a change such as "nodes=4,workloads.web.replicas=8". A goal offers a few values
 * of each setting, because other values, such as a thousand replicas, could take many minutes.
 * @throws UsageError
 */
export function readChanges({ knobs }: Goal, change: string): string[] {
  const settings = change.split(",").map((each) => each.trim());
  for (const each of settings) {
    const [, name = "", value = ""] = /^([^=]+)=(.+)$/.exec(each) ?? [];
    const example = `${knobs[0]?.setting}=${knobs[0]?.values[0]}`;
    if (name === "") throw new UsageError(`"${each}" is not a change; write for example ${example}`);
    const knob = knobs.find(({ setting }) => setting === name);
    const offered = knobs.map(({ setting }) => setting).join(", ");
    if (knob === undefined)
      throw new UsageError(`"${name}" cannot be changed in this lesson; these settings can: ${offered}`);
    if (!knob.values.includes(value))
      throw new UsageError(
        `"${value}" is not a value of ${name} in this lesson; its values are ${knob.values.map((each) => (each.includes(" ") ? `"${each}"` : each)).join(", ")}`,
      );
  }
  return settings;
}
