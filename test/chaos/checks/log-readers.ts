import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { LevelStore } from "@kintsugi/store";
import { openReplica } from "../../support/servers/cluster-etcd.ts";
import type { ChaosCluster } from "../cluster/chaos-cluster.ts";
import { signal } from "../cluster/processes.ts";
import type { LogReader } from "./revision-log.ts";

/** Windows so wide that they include everything that the log still has. */
const everything = { windowMs: 24 * 3_600_000, windowBytesMax: 2 ** 30 };

/**
 * The api-server is paused for a moment and its store is copied, in the state that kill -9 at that
 * moment would have left. Opening the copy verifies every record of it.
 */
export function readFromDisk(cluster: ChaosCluster): LogReader {
  return async (use) => {
    const copy = join(cluster.known.paths.data, "store-copy");
    await copyStore(cluster, copy);
    const store = await LevelStore.open({
      ...everything,
      directory: copy,
      clock: systemClock,
      random: systemRandom,
      ballastBytes: 0,
    });
    try {
      return use(store);
    } finally {
      await store.close();
      await rm(copy, { recursive: true, force: true });
    }
  };
}

/** Another replica reads the state that a majority of etcd's members has. */
export function readFromEtcd({ known }: ChaosCluster): LogReader {
  return async (use) => {
    const store = await openReplica(known, { prefix: `/kintsugi/${known.spec.name}`, ...everything });
    try {
      return use(store);
    } finally {
      await store.close();
    }
  };
}

async function copyStore(cluster: ChaosCluster, copy: string): Promise<void> {
  const { store } = cluster.known.paths;
  const pid = await cluster.pid("api-server");
  await rm(copy, { recursive: true, force: true });
  signal(pid, "SIGSTOP");
  try {
    await cp(store, copy, { recursive: true, filter: (path) => !/\/(ballast|lost\+found)$/.test(path) });
  } finally {
    signal(pid, "SIGCONT");
  }
}
