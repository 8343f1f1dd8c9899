import { ClaimRecords } from "./containers/volumes/claims/claim-records.ts";
import { publishedVolumes } from "./containers/volumes/csi/published-volumes.ts";
import { CsiNodeEntry } from "./containers/volumes/csi/csi-node-entry.ts";
import { CsiVolumes } from "./containers/volumes/csi/csi-volumes.ts";
import { DriverRegistry } from "./containers/volumes/csi/driver-registry.ts";
import { type PublishedVolume, VolumeGrowth } from "./containers/volumes/csi/volume-growth.ts";
import type { KubeletContext } from "./kubelet-context.ts";

/** The parts that work with the node's storage drivers. */
export interface CsiLoops {
  readonly registry: DriverRegistry;
  readonly volumes: CsiVolumes;
  readonly growth: VolumeGrowth;
  /** Lists the published volumes of a pod, or of all pods of the node. */
  readonly published: (podUid?: string) => Promise<readonly PublishedVolume[]>;
}

/**
 * Returns undefined where the node has no directory for drivers. The volumes of an earlier kubelet
 * are already loaded.
 */
export async function assembleCsi(context: KubeletContext): Promise<CsiLoops | undefined> {
  const { plugins: access, client, clock, log, node, copies, mounts, nodeEvents } = context;
  if (access === undefined) return undefined;
  const entry = new CsiNodeEntry({ client }, node.nodeName);
  const registry = new DriverRegistry({ connect: access.connectCsi, entry });
  const records = new ClaimRecords(context);
  const published = (podUid?: string) =>
    publishedVolumes({ registry, records, mounts, node, pods: copies.pods }, podUid);
  const growth = new VolumeGrowth({ client, clock, log, node, events: nodeEvents, published });
  const volumes = new CsiVolumes({ ...context, registry, growth, ownNode: () => copies.node.list()[0] });
  await volumes.load();
  return { registry, volumes, growth, published };
}
