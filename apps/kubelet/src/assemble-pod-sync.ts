import type { Node, Service } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { Admission, type Rejection } from "./pods/admission/admission.ts";
import { ContainerPreparer } from "./containers/config/container-preparer.ts";
import type { PodCgroups } from "./containers/cgroups/pod-cgroups.ts";
import { SandboxDns } from "./containers/config/sandbox-dns.ts";
import { PodServices } from "./containers/environment/pod-services.ts";
import type { WatchedConfig } from "./containers/environment/watched-config.ts";
import type { EventSink, PodEvents } from "./model/pod-events.ts";
import { ImageKeeper } from "./containers/images/image-keeper.ts";
import { PullSecrets } from "./containers/images/pull-secrets.ts";
import type { KubeletDeps } from "./kubelet.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { runHook } from "./pods/probes/hooks.ts";
import { Limiter } from "./base/limiter.ts";
import type { NodeContext } from "./model/node-context.ts";
import { ContainerStarter } from "./pods/work/container-starter.ts";
import { KillsUnderWay } from "./pods/work/kills-under-way.ts";
import { PodStopper } from "./pods/work/pod-stopper.ts";
import { PodSyncer } from "./pods/work/pod-syncer.ts";
import { StepPerformer } from "./pods/work/step-performer.ts";
import type { BoundPod } from "./model/bound-pod.ts";
import { PodResizes } from "./pods/admission/pod-resizes.ts";
import type { ListedPod } from "./runtime/observation/first-listing.ts";
import { ProbeManager } from "./pods/probes/probe-manager.ts";
import type { ObservedPod } from "./model/observed-pod.ts";
import { TokenKeeper } from "./containers/volumes/token-keeper.ts";
import { StartFailures } from "./pods/status/start-failures.ts";
import type { KillCauses } from "./pods/status/kill-causes.ts";
import type { StatusWriter } from "./pods/status/status-writer.ts";
import { Volumes } from "./containers/volumes/volumes.ts";

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
