import { runServers, type ServersRunReport } from "@kintsugi/simulator/factory";

/** The runs of several API servers on one log, which have no nodes and no controllers. */
export const serverRuns = {
  "three servers share a log": (seed) => runServers({ seed, durationMs: 90_000 }),
} as const satisfies Record<string, (seed: number) => Promise<ServersRunReport>>;

export type ServerRunName = keyof typeof serverRuns;

export function isServerRun(name: string): name is ServerRunName {
  return name in serverRuns;
}
