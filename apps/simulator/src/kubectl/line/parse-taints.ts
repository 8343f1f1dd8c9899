import type { Taint } from "@kintsugi/api";
import { type TaintChange, UnusableCommand } from "../kubectl-command.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

/**
 * Parses the taints of `kubectl taint`: `KEY=VALUE:EFFECT` and `KEY:EFFECT` add a taint, and
 * `KEY:EFFECT-` and `KEY-` remove taints. @throws UnusableCommand
 */
export function readTaints(words: readonly string[]): TaintChange {
  const added: Taint[] = [];
  const removed: { key: string; effect: Taint["effect"] | undefined }[] = [];
  for (const word of words) {
    const isRemoval = word.endsWith("-");
    const [, key = "", value, name] =
      /^([^=:]+)(?:=([^:]*))?(?::(\w+))?$/.exec(isRemoval ? word.slice(0, -1) : word) ?? [];
    if (key === "") throw new UnusableCommand(`a taint has the form KEY=VALUE:EFFECT, not ${word}`);
    const effect = effects.find((each) => each === name);
    if (effect === undefined && (name !== undefined || !isRemoval))
      throw new UnusableCommand(
        `the effect of a taint is ${effects.join(", ")}: ${key}:NoSchedule${isRemoval ? "-" : ""}`,
      );
    if (isRemoval) removed.push({ key, effect });
    else if (effect !== undefined) added.push({ key, effect, ...(value === undefined ? {} : { value }) });
  }
  return { added, removed };
}
