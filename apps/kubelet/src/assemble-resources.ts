import type { CsiLoops } from "./assemble-csi.ts";
import { ClaimRecords } from "./containers/volumes/claims/claim-records.ts";
import type { KubeletContext } from "./kubelet-context.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { GarbageCollector } from "./node/cleanup/garbage-collector.ts";
import { Housekeeping } from "./node/cleanup/housekeeping.ts";
import { LogRotator } from "./node/cleanup/log-rotator.ts";
import { EvictionManager } from "./node/eviction/eviction-manager.ts";
import { ClaimUsages } from "./node/stats/claim-usages.ts";
import { DiskUsages } from "./node/stats/disk-usages.ts";
import { StatsProvider } from "./node/stats/stats-provider.ts";
import type { KnownPods, StoredPods } from "./pods/static/node-pods.ts";
import type { PodSyncer } from "./pods/work/pod-syncer.ts";
import type { PodWorkers } from "./pods/work/pod-workers.ts";

/** The pods of the node, by the three sources on which its resources depend. */
interface PodsOfNode {
  stored: StoredPods;
  known: KnownPods;
  workers: PodWorkers;
  sync: PodSyncer;
  /** Lists the volumes of drivers; undefined on a node without drivers. */
  readonly published: CsiLoops["published"] | undefined;
}

interface NodeResources {
  stats: StatsProvider;
  loops: readonly { run(signal: AbortSignal): Promise<void> }[];
}

/** Assembles the parts that prevent the node from running out of memory, disk and processes. */
export function assembleResources(context: KubeletContext, options: KubeletOptions, pods: PodsOfNode): NodeResources {
  const { stored, known, workers, sync } = pods;
  const housekeeping = new Housekeeping({ ...context, workers, known, remains: sync }, options.housekeeping);
  workers.onForgotten(() => housekeeping.forgotten());
  const findPublished = async (podUid: string, name: string) => {
    const ofPod = await pods.published?.(podUid);
    return ofPod?.find(({ volume }) => volume.metadata.name === name);
  };
  const claims = new ClaimUsages({ ...context, records: new ClaimRecords(context), findPublished });
  const disks = new DiskUsages({ ...context, pods: stored, claims });
  const stats = new StatsProvider({ ...context, disks }, options.stats);
  const garbage = new GarbageCollector(
    { ...context, known },
    { ...options.garbage, localImages: options.images.localImages },
  );
  const eviction = new EvictionManager({ ...context, workers, stats, garbage }, options.eviction);
  const rotator = new LogRotator({ ...context, pods: stored }, options.logRotation);
  const { kernelOom } = context;
  return { stats, loops: [housekeeping, eviction, garbage, rotator, ...(kernelOom ? [kernelOom] : [])] };
}
