import { isDeepStrictEqual } from "node:util";
import type { ChangeStream, Logger, Metrics, Pod } from "@kintsugi/api";
import { isMirrorPod, nodes, pods, runtimeUidOf, services as serviceType } from "@kintsugi/api";
import { type Client, createEventRecorder, createInformer, type Informer, type InformerChange } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { Cgroups } from "./machine/kernel/cgroups.ts";
import { PodCgroups } from "./containers/cgroups/pod-cgroups.ts";
import { assembleNode } from "./assemble-node.ts";
import { assemblePodSync } from "./assemble-pod-sync.ts";
import { PodEvents } from "./model/pod-events.ts";
import type { Files } from "./machine/files/files.ts";
import { Housekeeping } from "./node/cleanup/housekeeping.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import type { Mounts } from "./machine/files/mounts.ts";
import type { Machine } from "./machine/kernel/machine.ts";
import type { NodeReporter } from "./node/registration/node-reporter.ts";
import type { RuntimeHealth } from "./node/registration/runtime-health.ts";
import type { KernelLog } from "./machine/kernel/kernel-log.ts";
import { OomWatcher } from "./node/eviction/oom-watcher.ts";
import { containerIdText } from "./model/labels.ts";
import type { ObservedPod } from "./model/observed-pod.ts";
import { Pleg } from "./runtime/observation/pleg.ts";
import { measureRunning } from "./runtime/observation/running-metrics.ts";
import { type BoundPod, boundPod, isTerminalPhase } from "./model/bound-pod.ts";
import { PodWorkers } from "./pods/work/pod-workers.ts";
import type { Prober } from "./pods/probes/prober.ts";
import { KillCauses } from "./pods/status/kill-causes.ts";
import type { StatsProvider } from "./node/stats/stats-provider.ts";
import { StatusWriter } from "./pods/status/status-writer.ts";
import type { ConfigSource } from "./containers/environment/config-source.ts";
import { WatchedConfig } from "./containers/environment/watched-config.ts";
import { assembleStaticPods, type StaticPodLoops, type StaticPodsAround } from "./pods/static/assemble-static-pods.ts";
import type { ManifestSource } from "./pods/static/manifest-source.ts";
import { assembleResources } from "./assemble-resources.ts";
import { withEvictionReserve } from "./node/registration/node-object.ts";
import { nodeContextOf } from "./node-context-of.ts";

export interface KubeletDeps {
  client: Client;
  /** Without it, pods are followed over HTTP watches. */
  changes?: ChangeStream | undefined;
  runtime: ContainerRuntime;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  files: Files;
  mounts: Mounts;
  machine: Machine;
  prober: Prober;
  configSource: ConfigSource;
  /** Where pods reach the API where no Service leads there, told in their variables; without it, they are not told. */
  apiServer?: (() => { host: string; port: string }) | undefined;
  /** Of the pods that this node runs whatever the API says; without it, there are none. */
  manifests?: ManifestSource | undefined;
  cgroups: Cgroups;
  /** Of the machine; without it, nobody is told when the machine as a whole runs out of memory, nor of OOM kills that the runtime missed. */
  kernelLog?: KernelLog | undefined;
}

export interface Kubelet {
  /** Runs until the signal aborts. Containers go on: the next kubelet finds and adopts them. */
  run(signal: AbortSignal): Promise<void>;
  /** The pods of this node as the API has them. */
  readonly pods: Informer<Pod>;
  readonly runtime: ContainerRuntime;
  /** What the node and its pods use. */
  readonly stats: StatsProvider;
  /** Why the node is not ready; empty when it is. */
  errors(): string[];
}

/** Assembles the loops; starts nothing. */
export async function assembleKubelet(deps: KubeletDeps, options: KubeletOptions): Promise<Kubelet> {
  const { client, clock, runtime, log, metrics } = deps;
  const facts = await deps.machine.facts();
  const reserved = withEvictionReserve(options.reserved, options.eviction.thresholds, facts);
  const node = nodeContextOf({ ...deps, handlers: () => health.handlers() }, options, { facts, reserved });
  const recorder = createEventRecorder(deps, { component: "kubelet", host: options.nodeName });
  const { informer, nodeInformer, services, findNode, onRevisions } = createInformers(deps, options);
  const findPod = (uid: string) =>
    staticPods?.findMirror(uid) ?? informer.byIndex("uid", uid).find((pod) => !isMirrorPod(pod));
  const events = new PodEvents(recorder);
  const pleg = new Pleg({ runtime, clock, log, metrics }, options.pleg);
  const noteObserved = measureRunning({ clock, metrics, pleg, pods: informer }, options);
  const { health, reporter, lease, network, errors } = assembleNode(deps, options, {
    events: recorder,
    reserved,
    nodes: nodeInformer,
    plegUnhealthyBecause: () => pleg.unhealthyBecause(),
    findNode,
    onRevisions,
    pressure: () => resources.eviction.conditions(),
  });
  const kills = new KillCauses();
  const statuses = new StatusWriter({ client, clock, log, findPod, killedBecause: (id) => kills.find(id) });
  const volumeSource = new WatchedConfig({ ...deps, onStale: (uid) => workers.wake(uid) });
  const active = () => activePods(workers);
  const podCgroups = new PodCgroups({ ...deps, node, nodeEvents: recorder, activePods: active }, options.podCgroups);
  const sync = assemblePodSync(deps, options, {
    node,
    events,
    statuses,
    kills,
    volumeSource,
    nodeObject: () => reporter.node,
    readNode: (signal) => reporter.read(signal),
    podCgroups,
    services,
    nodeEvents: recorder,
    ...whatRuntimeTells(health, pleg),
    noteObserved,
    kernelKilledIn: (id) => resources.kernelKilledIn(id),
    refuse: (pod) => resources.eviction.refuse(pod),
    onPodChanged: (uid) => workers.wake(uid),
  });
  const onForgotten = (uid: string) => tellForgotten(uid, [staticPods, housekeeping]);
  const workers: PodWorkers = new PodWorkers({ ...deps, sync, onForgotten }, options.workers);
  const around = { ...deps, events: recorder, informer, statuses, workers: () => workers, node: () => reporter.node };
  const staticPods = findStaticPods(around, options);
  const { isKnown, isSynced } = whatIsKnown(informer, staticPods);
  const keeping = { ...deps, pleg, workers, podCgroups, node, isKnown, isSynced };
  const housekeeping = new Housekeeping(keeping, options.housekeeping);
  const resources = assembleResources(deps, options, {
    node,
    events,
    nodeEvents: recorder,
    findPod,
    workers,
    activePods: active,
    onPressureChanged: () => reporter.hurry(),
    isSynced,
    pods: () => informer.list(),
  });
  tellOfOomKills(pleg, informer, { clock, events });
  listen(pleg, informer, { workers, statuses, staticPods });
  // Static pods do not wait for an API to register with, nor for one that is away.
  const withoutApi: Loop[] = [statuses, pleg, workers, sync, volumeSource, podCgroups, housekeeping];
  withoutApi.push(...resources.loops, ...(staticPods ? [staticPods.pods] : []));
  const onceRegistered: Loop[] = [lease, reporter, informer, nodeInformer, services, network];
  if (staticPods) onceRegistered.push(staticPods.mirrors);
  const run = (signal: AbortSignal) => runInOrder({ recorder, health, reporter, withoutApi, onceRegistered }, signal);
  return { pods: informer, runtime, stats: resources.stats, errors, run };
}

/** What the runtime said last: of itself, of what it had at first, and of containers that ended. */
function whatRuntimeTells(health: RuntimeHealth, pleg: Pleg) {
  return {
    takeListed: (uid: string) => pleg.takeListed(uid),
    findEnded: (read: ObservedPod) => pleg.findEnded(read),
    networkError: () => health.networkError(),
  };
}

function tellForgotten(uid: string, listeners: readonly ({ forgotten(uid: string): void } | undefined)[]): void {
  for (const listener of listeners) listener?.forgotten(uid);
}

/** Those that may run something. */
function activePods(workers: PodWorkers): BoundPod[] {
  return workers
    .pods()
    .filter(({ metadata, status }) => !isTerminalPhase(status?.phase) && !workers.isTerminated(metadata.uid));
}

interface LoopsInOrder {
  readonly recorder: Loop;
  readonly health: RuntimeHealth;
  readonly reporter: NodeReporter;
  readonly withoutApi: Loop[];
  readonly onceRegistered: Loop[];
}

/** What needs no API starts once the runtime has been asked how it is; the rest when the API has the node. */
async function runInOrder(loops: LoopsInOrder, signal: AbortSignal): Promise<void> {
  const { recorder, health, reporter, withoutApi, onceRegistered } = loops;
  const started = Promise.all([recorder.run(signal), health.run(signal)]);
  await health.check(signal);
  const working = Promise.all(withoutApi.map((loop) => loop.run(signal)));
  await reporter.register(signal);
  await Promise.all([started, working, ...onceRegistered.map((loop) => loop.run(signal))]);
}

function findStaticPods(around: StaticPodsAround & KubeletDeps, { nodeName, staticPods }: KubeletOptions) {
  return around.manifests && assembleStaticPods(around.manifests, around, { nodeName, ...staticPods });
}

/** What housekeeping spares. A mirror says that a static pod was known, not that it still is. */
function whatIsKnown(informer: Informer<Pod>, staticPods: StaticPodLoops | undefined) {
  return {
    isKnown: (uid: string) =>
      informer.byIndex("uid", uid).some((pod) => !isMirrorPod(pod)) || staticPods?.pods.find(uid) !== undefined,
    isSynced: () => informer.synced && staticPods?.pods.hasRead !== false,
  };
}

function tellOfOomKills(pleg: Pleg, informer: Informer<Pod>, deps: { clock: Clock; events: PodEvents }): void {
  const oom = new OomWatcher({ ...deps, findRunning: (id) => findRunning(informer, pleg, id) });
  pleg.onOomKill((id) => oom.note(id));
}

/** A container that runs, as the runtime and the API have it. */
function findRunning(informer: Informer<Pod>, pleg: Pleg, containerId: string) {
  const record = pleg.records.get(containerId);
  const stored = record?.state === "running" ? informer.byIndex("uid", record.pod.uid)[0] : undefined;
  if (!stored) return undefined;
  const { containerStatuses = [], initContainerStatuses = [] } = stored.status ?? {};
  const status = [...containerStatuses, ...initContainerStatuses].find(
    ({ containerID }) => containerID === containerIdText(containerId),
  );
  return status && { pod: boundPod(stored), containerName: status.name };
}

/** What the API has of this node: its pods, and itself; and the Services, of which its pods are told. */
function createInformers({ client, clock, random, changes, log }: KubeletDeps, { nodeName }: KubeletOptions) {
  const deps = { client, clock, random, changes, log };
  const indexes = { uid: (pod: Pod) => [runtimeUidOf(pod)] };
  const informer = createInformer(deps, { type: pods, nodeName, indexes });
  const nodeInformer = createInformer(deps, { type: nodes, nodeName });
  return {
    informer,
    nodeInformer,
    // Not one of those that the bus hands out by node: over HTTP, one watch.
    services: createInformer({ client, clock, random, log }, { type: serviceType }),
    findNode: () => nodeInformer.find({ namespace: "", name: nodeName }),
    onRevisions: (seen: { pods: number; node: number }) => {
      informer.noticeRevision(seen.pods);
      nodeInformer.noticeRevision(seen.node);
    },
  };
}

interface Loop {
  run(signal: AbortSignal): Promise<void>;
}

interface Concerned {
  workers: PodWorkers;
  statuses: StatusWriter;
  staticPods: StaticPodLoops | undefined;
}

/** What the runtime and the API tell reaches whom it concerns. */
function listen(pleg: Pleg, informer: Informer<Pod>, { workers, statuses, staticPods }: Concerned): void {
  pleg.onPodChanged(({ uid }) => workers.wake(uid));
  informer.onChange((change) => {
    if (isMirrorPod(change.object)) staticPods?.followMirror(change);
    else follow(change, workers, statuses);
  });
}

/** A change in the API, told to whom it concerns. A change of nothing but the status is no news to a worker. */
function follow(change: InformerChange<Pod>, workers: PodWorkers, statuses: StatusWriter): void {
  const pod = boundPod(change.object);
  switch (change.type) {
    case "added":
      return workers.update(pod);
    case "deleted":
      return workers.removed(pod);
    case "modified":
      statuses.noticeStored(pod);
      if (concernsWorker(boundPod(change.before), pod)) workers.update(pod);
      else workers.remember(pod);
  }
}

function concernsWorker(before: BoundPod, after: BoundPod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, labels, annotations } = after.metadata;
  return (
    before.metadata.deletionTimestamp !== deletionTimestamp ||
    before.metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds ||
    !isDeepStrictEqual(before.metadata.labels, labels) ||
    !isDeepStrictEqual(before.metadata.annotations, annotations) ||
    !isDeepStrictEqual(before.spec, after.spec) ||
    othersConditionsDiffer(before, after)
  );
}

/** Readiness gates are conditions that others write, and the kubelet reads. */
function othersConditionsDiffer(before: BoundPod, after: BoundPod): boolean {
  const gates = new Set((after.spec.readinessGates ?? []).map(({ conditionType }) => conditionType));
  if (gates.size === 0) return false;
  const gated = (pod: BoundPod) => (pod.status?.conditions ?? []).filter(({ type }) => gates.has(type));
  return !isDeepStrictEqual(gated(before), gated(after));
}
