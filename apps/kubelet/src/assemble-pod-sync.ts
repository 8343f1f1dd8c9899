import type { Node, Service } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { Admission, type Rejection } from "./admission/admission.ts";
import { ContainerPreparer } from "./containers/container-preparer.ts";
import type { PodCgroups } from "./cgroups/pod-cgroups.ts";
import { SandboxDns } from "./containers/sandbox-dns.ts";
import { PodServices } from "./containers/pod-services.ts";
import type { WatchedConfig } from "./containers/watched-config.ts";
import type { EventSink, PodEvents } from "./events/pod-events.ts";
import { ImageKeeper } from "./images/image-keeper.ts";
import { PullSecrets } from "./images/pull-secrets.ts";
import type { KubeletDeps } from "./kubelet.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { runHook } from "./lifecycle/hooks.ts";
import { Limiter } from "./loops/limiter.ts";
import type { NodeContext } from "./node/node-context.ts";
import { ContainerStarter } from "./pod-sync/container-starter.ts";
import { KillsUnderWay } from "./pod-sync/kills-under-way.ts";
import { PodStopper } from "./pod-sync/pod-stopper.ts";
import { PodSyncer } from "./pod-sync/pod-syncer.ts";
import { StepPerformer } from "./pod-sync/step-performer.ts";
import type { BoundPod } from "./pods/bound-pod.ts";
import { PodResizes } from "./resize/pod-resizes.ts";
import type { ListedPod } from "./pleg/first-listing.ts";
import { ProbeManager } from "./probes/probe-manager.ts";
import type { ObservedPod } from "./runtime/observed-pod.ts";
import { TokenKeeper } from "./tokens/token-keeper.ts";
import { StartFailures } from "./status/start-failures.ts";
import type { KillCauses } from "./status/kill-causes.ts";
import type { StatusWriter } from "./status/status-writer.ts";
import { Volumes } from "./volumes/volumes.ts";

/** What the rest of the kubelet lends to the work on single pods. */
export interface PodSyncSurroundings {
  node: NodeContext;
  events: PodEvents;
  statuses: StatusWriter;
  readonly kills: KillCauses;
  /** What volumes are made of, followed as long as a pod has them. */
  readonly volumeSource: WatchedConfig;
  readonly nodeEvents: EventSink;
  readonly podCgroups: PodCgroups;
  readonly services: Informer<Service>;
  readonly nodeObject: () => Node | undefined;
  readonly readNode: (signal: AbortSignal) => Promise<Node>;
  readonly refuse: (pod: BoundPod) => Rejection | undefined;
  readonly networkError: () => string | undefined;
  readonly takeListed: (uid: string) => ListedPod | undefined;
  readonly noteObserved: (read: ObservedPod) => ObservedPod;
  readonly findEnded: (read: ObservedPod) => ObservedPod | undefined;
  readonly kernelKilledIn: (containerId: string) => boolean;
  readonly onPodChanged: (uid: string) => void;
}

/** Assembles everything that works on one pod at a time. */
export function assemblePodSync(deps: KubeletDeps, options: KubeletOptions, around: PodSyncSurroundings): PodSyncer {
  const { client, clock, random, runtime, log, metrics, files, mounts, prober, configSource: source } = deps;
  const { node, events } = around;
  const failures = new StartFailures();
  const starts = new Limiter(options.startsInFlightMax);
  const probes = new ProbeManager({
    clock,
    random,
    prober,
    events,
    metrics,
    nodeIps: node.nodeIps,
    onChanged: around.onPodChanged,
  });
  const tokens = new TokenKeeper({ client, clock, random, log });
  const volumes = new Volumes({
    files,
    mounts,
    node,
    source: around.volumeSource,
    token: (pod, request) => tokens.get(pod, request),
  });
  const stopper = assembleStopper(deps, around);
  const starter = assembleStarter(deps, around, { volumes, starts });
  const images = new ImageKeeper({ runtime, clock, events }, options.images);
  const { admission, resizes } = assembleAdmission(deps, around);
  const { errorBackoffMs } = options.workers;
  const kills = new KillsUnderWay({ clock, log, onOver: around.onPodChanged }, { errorBackoffMs });
  const performer = new StepPerformer(
    {
      resizes,
      podCgroups: around.podCgroups,
      dns: new SandboxDns({ machine: deps.machine, events, nodeEvents: around.nodeEvents, node }),
      runtime,
      events,
      files,
      images,
      pullSecrets: new PullSecrets(source),
      starter,
      stopper,
      kills,
      volumes,
      failures,
      starts,
    },
    { node, errorBackoffMs },
  );
  const parts = { admission, resizes, failures, probes, performer, stopper, kills, volumes, tokens };
  return new PodSyncer({ ...deps, ...around, ...parts }, { node, restartBackoff: options.restartBackoff });
}

function assembleAdmission({ files }: KubeletDeps, around: PodSyncSurroundings) {
  const { events, node, nodeObject, readNode, refuse } = around;
  const admission = new Admission({ events, node: nodeObject, readNode, refuse });
  const onRoom = around.onPodChanged;
  const resizes = new PodResizes({ files, events, refuse: (pod) => admission.refuseResize(pod), onRoom }, node);
  return { admission, resizes };
}

function assembleStarter(
  { runtime, files, clock, log, prober, configSource: source }: KubeletDeps,
  { node, events, services: informer }: PodSyncSurroundings,
  { volumes, starts }: { volumes: Volumes; starts: Limiter },
): ContainerStarter {
  const services = new PodServices({ services: informer, clock });
  const preparer = new ContainerPreparer({ runtime, files, source, volumes, services }, node);
  return new ContainerStarter(
    {
      runtime,
      events,
      log,
      starts,
      prepare: (request) => preparer.prepare(request),
      runPostStart: async ({ pod, step, podIps }, containerId, signal) => {
        const handler = step.container.lifecycle?.postStart;
        if (!handler) return undefined;
        const { namespace, name: podName } = pod.metadata;
        const target = { containerId, container: step.container, podIp: podIps[0] ?? "", namespace, podName };
        return runHook({ clock, prober }, { handler, target }, signal);
      },
    },
    node,
  );
}

function assembleStopper(deps: KubeletDeps, { events, kills, node }: PodSyncSurroundings): PodStopper {
  const { runtime, clock, log, prober } = deps;
  return new PodStopper({
    runtime,
    events,
    kills,
    clock,
    log,
    nodeIps: node.nodeIps,
    runPreStop: ({ pod, container, running, graceSeconds, podIps }, signal) => {
      const { namespace, name: podName } = pod.metadata;
      const target = { containerId: running.id, container, podIp: podIps[0] ?? "", namespace, podName };
      const handler = container.lifecycle?.preStop ?? {};
      return runHook({ clock, prober }, { handler, target, timeoutMs: graceSeconds * 1000 }, signal);
    },
  });
}
