import { isMirrorPod, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { ContainerRuntime } from "@kintsugi/cri";
import { assembleCsi } from "./assemble-csi.ts";
import { assembleDevices } from "./assemble-devices.ts";
import { assembleNode } from "./assemble-node.ts";
import { assemblePods } from "./assemble-pods.ts";
import { assembleResources } from "./assemble-resources.ts";
import { createContext, type KubeletContext } from "./kubelet-context.ts";
import type { KubeletDeps } from "./kubelet-deps.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import type { NodeReporter } from "./node/registration/node-reporter.ts";
import type { StatsProvider } from "./node/stats/stats-provider.ts";
import { PluginRegistry } from "./plugins/plugin-registry.ts";
import { assembleStaticPods, type StaticPodLoops } from "./pods/static/assemble-static-pods.ts";
import { Mirrors } from "./pods/static/mirrors.ts";
import { KnownPods, type StaticPodsOfNode, StoredPods } from "./pods/static/node-pods.ts";
import { StaticPodRecord } from "./pods/static/static-pod-record.ts";
import type { StatusWriter } from "./pods/status/status-writer.ts";
import { followPod } from "./pods/work/follow-pod.ts";
import type { PodWorkers } from "./pods/work/pod-workers.ts";
import { OomWatcher } from "./runtime/observation/oom-watcher.ts";

export interface Kubelet {
  /** Runs until the signal aborts. Containers continue; the next kubelet finds and adopts them. */
  run(signal: AbortSignal): Promise<void>;
  /** The pods of this node in the API. */
  readonly pods: Informer<Pod>;
  /**
   * The uid by which the runtime identifies a pod of the API, by this node's own record. For a
   * mirror pod it is the static pod's uid.
   */
  readonly runtimeUidOf: (pod: Pod) => string;
  readonly runtime: ContainerRuntime;
  /** The usage of the node and its pods. */
  readonly stats: StatsProvider;
  /** Lists the reasons why the node is not ready; empty when it is ready. */
  errors(): string[];
}

/** Assembles the loops without starting them. */
export async function assembleKubelet(deps: KubeletDeps, options: KubeletOptions): Promise<Kubelet> {
  const context = await createContext(deps, options);
  const { copies, runtime } = context;
  const record = new StaticPodRecord();
  const mirrors = new Mirrors(copies.pods, record);
  const stored = new StoredPods(copies.pods, { record, mirrors });
  const csi = await assembleCsi(context);
  const devices = await assembleDevices(context, options);
  const { reporter, lease, network } = assembleNode(context, options, csi);
  const pods = assemblePods(context, options, { ownNode: reporter, stored, csi: csi?.volumes, devices });
  const { statuses, workers, sync, probes, volumeSource, podCgroups } = pods;
  const staticPods = findStaticPods(context, options, { ...pods, record, mirrors, ownNode: reporter });
  const known = new KnownPods(copies.pods, record, staticPods?.pods);
  const resources = assembleResources(context, options, {
    stored,
    known,
    workers,
    sync,
    published: csi?.published,
  });
  followRuntime(context, { stored, workers });
  followApi(context, { workers, statuses, staticPods });
  // Static pods do not wait until the node can register with an API or until the API answers.
  const withoutApi: Loop[] = [statuses, context.pleg, workers, probes, volumeSource, podCgroups, ...resources.loops];
  if (staticPods) withoutApi.push(staticPods.pods);
  const onceRegistered: Loop[] = [lease, context.fence, reporter, copies.pods, copies.node, copies.services, network];
  if (staticPods) onceRegistered.push(staticPods.mirrors);
  if (csi && context.plugins) {
    const plugins = new PluginRegistry({
      ...context,
      access: context.plugins,
      handlers: [csi.registry, devices.drivers],
    });
    onceRegistered.push(plugins, csi.volumes, csi.growth, devices.claims, devices.slices);
  }
  return {
    pods: copies.pods,
    runtimeUidOf: (pod) => stored.runtimeUidOf(pod),
    runtime,
    stats: resources.stats,
    errors: () => reporter.errors(),
    run: (signal) => runInOrder(context, { reporter, withoutApi, onceRegistered }, signal),
  };
}

interface MadeBeforeStaticPods extends StaticPodsOfNode {
  statuses: StatusWriter;
  workers: PodWorkers;
  ownNode: NodeReporter;
}

/** The pods of manifests; undefined on a node without a directory for them. */
function findStaticPods(
  context: KubeletContext,
  { nodeName, staticPods }: KubeletOptions,
  made: MadeBeforeStaticPods,
): StaticPodLoops | undefined {
  const { manifests, copies } = context;
  if (!manifests) return undefined;
  return assembleStaticPods({ ...context, ...made, manifests, stored: copies.pods }, { nodeName, ...staticPods });
}

/**
 * A change in the runtime wakes the pod's worker. A process that the kernel killed becomes an
 * event.
 */
function followRuntime(
  { clock, events, pleg }: KubeletContext,
  { stored, workers }: { stored: StoredPods; workers: PodWorkers },
): void {
  const oom = new OomWatcher({ clock, events, pleg, pods: stored });
  pleg.onOomKill((containerId) => oom.note(containerId));
  pleg.onPodChanged(({ uid }) => workers.wake(uid));
}

interface ApiFollowers {
  workers: PodWorkers;
  statuses: StatusWriter;
  staticPods: StaticPodLoops | undefined;
}

function followApi({ copies }: KubeletContext, followers: ApiFollowers): void {
  copies.pods.onChange((change) => {
    if (isMirrorPod(change.object)) followers.staticPods?.followMirror(change);
    else followPod(followers, change);
  });
}

interface Loop {
  run(signal: AbortSignal): Promise<void>;
}

interface LoopsInOrder {
  readonly reporter: NodeReporter;
  readonly withoutApi: Loop[];
  readonly onceRegistered: Loop[];
}

/**
 * Loops that do not need the API start after the runtime has reported its health; the other loops
 * start when the API has the node.
 */
async function runInOrder(
  { nodeEvents, health }: KubeletContext,
  { reporter, withoutApi, onceRegistered }: LoopsInOrder,
  signal: AbortSignal,
): Promise<void> {
  const started = Promise.all([nodeEvents.run(signal), health.run(signal)]);
  await health.check(signal);
  const working = Promise.all(withoutApi.map((loop) => loop.run(signal)));
  await reporter.register(signal);
  await Promise.all([started, working, ...onceRegistered.map((loop) => loop.run(signal))]);
}
