import { join } from "node:path";
import { readRuns, type Survived } from "../../tools/survived.mjs";
import { whyNoClusters, whyNoPackage, whyNoServersCluster } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import type { TurnName } from "./endurance.ts";

/** One search of a few minutes: a program, and what its output counts. */
export interface EnduranceTurn {
  /** The number of seeds that the search uses, from the given seed on. */
  readonly seeds: number;
  readonly command: (seed: number) => readonly string[];
  /** Undefined: the output does not have the counts, which is a failure. */
  readonly read: (output: string) => Partial<Survived> | undefined;
  readonly whyNot?: () => string | undefined;
}

const minuteMs = 60_000;
// The turns run in the directory of the run, from which "tsx" alone may not be found.
const source = [process.execPath, "--import", import.meta.resolve("tsx"), "--conditions", "@kintsugi/source"];
const script = (file: string, ...words: string[]) => [...source, join(repository, file), ...words];

const runsPerTurn = 10;
const killsPerTurn = 6;
const chaosMinutes = 2;

export const turns: Readonly<Record<TurnName, EnduranceTurn>> = {
  writes: {
    seeds: 1,
    command: (seed) => script("test/endure/writes-main.ts", String(seed), String(killsPerTurn)),
    read: (output) => {
      const [, writes, kills] = /^(\d+) acknowledged writes over (\d+) kills$/m.exec(output) ?? [];
      return kills === undefined ? undefined : { writes: Number(writes), kills: Number(kills) };
    },
  },
  runs: {
    seeds: runsPerTurn,
    command: (seed) => [
      process.execPath,
      "--enable-source-maps",
      join(repository, "apps/simulator/bundle/main.mjs"),
      ...`seeds --seed ${seed} --seeds ${runsPerTurn}`.split(" "),
    ],
    read: readRuns,
  },
  requests: {
    seeds: 1,
    command: (seed) => script("test/fuzz/run.ts", "--minutes", "1", "--seed", String(seed), "--json"),
    read: (output) => ifNumber((json(output) as { requests?: unknown }).requests, (requests) => ({ requests })),
  },
  bugs: {
    seeds: 1,
    command: (seed) => script("test/endure/bug-main.ts", String(seed)),
    read: (output) => (/^found: /m.test(output) ? { bugs: 1 } : undefined),
  },
  chaosOne: chaosTurn(1, "chaosOne", whyNoClusters),
  chaosThree: chaosTurn(3, "chaosThree", whyNoServersCluster),
};

function chaosTurn(
  servers: number,
  key: "chaosOne" | "chaosThree",
  whyNoCluster: () => string | undefined,
): EnduranceTurn {
  const words = `--minutes ${chaosMinutes} --servers ${servers} --json --seed`.split(" ");
  return {
    seeds: 1,
    command: (seed) => script("test/chaos/run.ts", ...words, String(seed)),
    read: (output) =>
      ifNumber((json(output) as { durationMs?: unknown }).durationMs, (ms) => ({ [key]: ms / minuteMs })),
    whyNot: () => whyNoCluster() ?? whyNoPackage("strace"),
  };
}

/** The object between lines of progress. */
function json(output: string): unknown {
  const [start, end] = [output.search(/^\{$/m), output.lastIndexOf("\n}")];
  try {
    return JSON.parse(output.slice(start, end + 2));
  } catch {
    return {};
  }
}

function ifNumber<T>(value: unknown, then: (value: number) => T): T | undefined {
  return typeof value === "number" ? then(value) : undefined;
}
