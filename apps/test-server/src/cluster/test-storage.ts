import type { Logger } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import { makeDirectory } from "@kintsugi/daemon";
import { CommittedLog, LastingMemory, type ServerStorage, storeSession } from "@kintsugi/simulation";
import { LevelStore } from "@kintsugi/store";
import { MemoryStore } from "@kintsugi/store/simulated";

/** A moved clock renews the nodes' Leases many times a second. */
const windowEventsMaxByResource = { "coordination.k8s.io/leases": 1000 };

/**
 * Opens the objects of a test server: in memory, or in a directory that outlives it.
 * @throws Error when the directory cannot be used.
 */
export async function openTestStorage(
  deps: { clock: Clock; random: Random; log: Logger },
  directory: string | undefined,
): Promise<ServerStorage> {
  if (directory === undefined) return new LastingMemory(new MemoryStore(deps, { windowEventsMaxByResource }));
  // The objects include Secrets, so only their owner may read them.
  await makeDirectory(directory, { flag: "--data-dir", mode: 0o700 });
  const store = await LevelStore.open({ ...deps, directory, windowEventsMaxByResource });
  const committed = new CommittedLog();
  committed.opened(store);
  return { committed, store, open: async (incarnation) => storeSession(store, incarnation, committed) };
}
