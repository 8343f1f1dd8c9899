import { systemClock, systemRandom } from "@kintsugi/clock";
import { EtcdClient, EtcdLog } from "@kintsugi/etcd";
import { etcdClientFiles, type KnownCluster, readIdentityFiles, serverAddresses, serverPorts } from "@kintsugi/lab";
import { ReplicatedStore, type StoreOptions } from "@kintsugi/store";

/** The members of the etcd of a cluster of several servers, as `host:port`. */
export function etcdEndpoints({ spec }: KnownCluster): string[] {
  return (spec.servers ?? []).map((server) => `${serverAddresses(spec, server).address}:${serverPorts.etcd}`);
}

/** Opens another replica of the data below a prefix of a cluster's etcd. */
export async function openReplica(
  known: KnownCluster,
  { prefix, ...window }: { prefix: string } & Partial<StoreOptions>,
): Promise<ReplicatedStore> {
  const { ca, cert, key } = await readIdentityFiles(etcdClientFiles(known.paths.pki));
  const tls = { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) };
  const client = new EtcdClient(systemClock, { endpoints: etcdEndpoints(known), tls });
  const log = new EtcdLog({ client, clock: systemClock }, { prefix });
  return ReplicatedStore.open({ log, clock: systemClock, random: systemRandom }, window);
}
