import type { Pod } from "@kintsugi/api";
import type { Remedy } from "../explanation.ts";
import type { World } from "../world.ts";

export interface NodeVerdicts {
  /** The end of the sentence "No node suits it: …". */
  readonly summary: string;
  /** A line for each group of nodes with the same reason. */
  readonly details: readonly string[];
  readonly remedies: readonly Remedy[];
}

export function nodeVerdicts(_pod: Pod, _world: World): NodeVerdicts | undefined {
  return undefined;
}
