import type { Pod } from "@kintsugi/api";
import type { EventSink, PodEvents } from "./model/pod-events.ts";
import { EvictionManager } from "./node/eviction/eviction-manager.ts";
import { GarbageCollector } from "./node/cleanup/garbage-collector.ts";
import type { KubeletDeps } from "./kubelet.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { LogRotator } from "./node/cleanup/log-rotator.ts";
import type { NodeContext } from "./model/node-context.ts";
import type { BoundPod } from "./model/bound-pod.ts";
import { KernelOomWatcher } from "./node/eviction/kernel-oom-watcher.ts";
import type { PodWorkers } from "./pods/work/pod-workers.ts";
import { DiskUsages } from "./node/stats/disk-usages.ts";
import { StatsProvider } from "./node/stats/stats-provider.ts";

/** What the rest of the kubelet lends to those who look after the node's own resources. */
interface ResourceSurroundings {
  node: NodeContext;
  events: PodEvents;
  nodeEvents: EventSink;
  findPod(uid: string): Pod | undefined;
  workers: PodWorkers;
  /** Those that may run something. */
  readonly activePods: () => BoundPod[];
  onPressureChanged(): void;
  isSynced(): boolean;
  pods(): readonly Pod[];
}

interface NodeResources {
  stats: StatsProvider;
  eviction: EvictionManager;
  /** Whether the kernel is known to have killed something in a container for want of memory. */
  kernelKilledIn(containerId: string): boolean;
  loops: readonly { run(signal: AbortSignal): Promise<void> }[];
}

/** Assembles what keeps memory, disk and processes of the node from running out. */
export function assembleResources(
  deps: KubeletDeps,
  options: KubeletOptions,
  around: ResourceSurroundings,
): NodeResources {
  const { node, workers, nodeEvents } = around;
  const disks = new DiskUsages({ ...deps, node, findPod: (uid) => around.findPod(uid) });
  const stats = new StatsProvider({ ...deps, node, disks }, options.stats);
  const isEnded = (uid: string) => workers.isTerminated(uid);
  const garbage = new GarbageCollector(
    { ...deps, node, nodeEvents, isEnded, isSynced: () => around.isSynced() },
    { ...options.garbage, localImages: options.images.localImages },
  );
  const eviction = new EvictionManager(
    {
      ...deps,
      node,
      events: around.events,
      nodeEvents,
      activePods: () => around.activePods(),
      summary: (signal) => stats.summary(signal),
      kill: (uid, verdict, graceSeconds) => workers.kill(uid, verdict, graceSeconds),
      isCleanedUp: (uid) => workers.isCleanedUp(uid),
      reclaimDisk: (signal) => garbage.reclaim(signal),
      onChanged: () => around.onPressureChanged(),
    },
    options.eviction,
  );
  const rotator = new LogRotator({ ...deps, node, pods: () => around.pods() }, options.logRotation);
  const { kernelLog } = deps;
  const kernelOom = kernelLog && new KernelOomWatcher({ ...deps, kernelLog, nodeEvents }, node);
  return {
    stats,
    eviction,
    kernelKilledIn: (containerId) => kernelOom?.hasKilledIn(containerId) ?? false,
    loops: [eviction, garbage, rotator, ...(kernelOom ? [kernelOom] : [])],
  };
}
