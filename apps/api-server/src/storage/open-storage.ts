import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger, Metrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { EtcdClient, EtcdLog, type EtcdTls, etcdVersionFault, etcdVersionRefusal } from "@kintsugi/etcd";
import { LevelStore, ReplicatedStore, type Store, type StoredValues } from "@kintsugi/store";
import { ClusterRecord } from "./cluster-record.ts";
import type { EtcdConfig } from "./etcd-config.ts";

export interface StorageConfig {
  dataDir: string;
  /** The etcd that stores the objects. If undefined, the data directory stores the objects. */
  etcd: EtcdConfig | undefined;
}

/** The store, and the measurement of its disk usage. */
export interface OpenedStore {
  readonly store: Store;
  bytes(): Promise<number>;
}

/** Leases change all the time and their history is never read. */
const windowEventsMaxByResource = { "coordination.k8s.io/leases": 1000 };

/**
 * Opens the store: LevelDB in the data directory, or etcd. `writer` is this server's name in its
 * commits.
 * @throws StoreCorrupt, StoreInUse, ValueSealed, LogUnreachable, Error when etcd has a different
 * cluster than before, or is too old.
 */
export async function openStorage(
  { dataDir, etcd }: StorageConfig,
  deps: { log: Logger; metrics: Metrics; values: StoredValues | undefined; writer: string },
): Promise<OpenedStore> {
  const { log, metrics, values, writer } = deps;
  const common = { clock: systemClock, random: systemRandom, values };
  const options = { windowEventsMaxByResource };
  if (etcd === undefined) {
    const store = await LevelStore.open({ ...common, ...options, directory: dataDir, log });
    return { store, bytes: () => directoryBytes(dataDir) };
  }
  const { client, log: shared } = await connectToEtcd(etcd, metrics);
  const store = await ReplicatedStore.open({ ...common, log: shared, events: log, writer }, options);
  try {
    await new ClusterRecord(dataDir).check(store.clusterId, etcd);
    const { version } = await client.status();
    const refusal = etcdVersionRefusal(version);
    if (refusal !== undefined) throw new Error(refusal);
    const fault = etcdVersionFault(version);
    if (fault !== undefined) log.warn("this etcd is too old for production", { because: fault });
  } catch (error) {
    await store.close();
    throw error;
  }
  return { store, bytes: async () => (await client.status()).databaseBytes };
}

/** The log that API servers share. Nothing is sent before its first use. */
export async function connectToEtcd({ endpoints, tls, prefix, quotaBytes }: EtcdConfig, metrics?: Metrics) {
  const client = new EtcdClient(systemClock, { endpoints, tls: await readTls(tls), metrics });
  return { client, log: new EtcdLog({ client, clock: systemClock }, { prefix, quotaBytes }) };
}

async function readTls(files: EtcdConfig["tls"]): Promise<EtcdTls | undefined> {
  if (files === undefined) return undefined;
  const [ca, cert, key] = await Promise.all([
    readFile(files.caFile),
    readFile(files.certFile),
    readFile(files.keyFile),
  ]);
  return { ca, cert, key };
}

/** A file that LevelDB has just removed does not use space. */
async function directoryBytes(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true });
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(directory, file)).then(
        (entry) => (entry.isFile() ? entry.blocks * 512 : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
