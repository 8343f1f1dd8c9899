import { readFileSync } from "node:fs";
import { type Node, zoneLabel } from "@kintsugi/api";
import { type RehearsalQuestion, UnreadableSource } from "@kintsugi/rehearsal";
import { parseFaults } from "@kintsugi/simulation";
import { rehearsedFaults } from "./rehearsed-faults.ts";

/**
 * Reads the question of a scenario file, for the nodes and workloads of a cluster.
 * @throws UnreadableSource, InvalidFile
 */
export function readScenarioQuestion(
  path: string,
  { nodes, workloads }: { nodes: readonly Node[]; workloads: readonly string[] },
): RehearsalQuestion {
  const file = parseFaults(textOf(path), {
    source: path,
    known: rehearsedFaults,
    nodes: nodes.map(({ metadata }) => {
      const zone = metadata.labels?.[zoneLabel];
      return { name: metadata.name ?? "", ...(zone === undefined ? {} : { zone }) };
    }),
    workloads: workloads.map((name) => ({ name })),
  });
  return { kind: "scenario", about: `the faults of ${file.name} happen`, faults: file.faults, runMs: file.durationMs };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UnreadableSource(`--scenario ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
