import { liveWithServers, type ServersLifeReport } from "@kintsugi/simulator/factory";

/** The lives of several API servers on one log, which have no nodes and no controllers. */
export const serverLives = {
  "three servers share a log": (seed) => liveWithServers({ seed, durationMs: 90_000 }),
} as const satisfies Record<string, (seed: number) => Promise<ServersLifeReport>>;

export type ServerLifeName = keyof typeof serverLives;

export function isServerLife(name: string): name is ServerLifeName {
  return name in serverLives;
}
