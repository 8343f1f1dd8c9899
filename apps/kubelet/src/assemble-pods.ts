import { Semaphore } from "@kintsugi/clock";
import type { DeviceParts } from "./assemble-devices.ts";
import { PodCgroups } from "./containers/cgroups/pod-cgroups.ts";
import { ContainerPreparer } from "./containers/config/container-preparer.ts";
import { RuntimeClasses } from "./containers/config/runtime-classes.ts";
import { SandboxDns } from "./containers/config/sandbox-dns.ts";
import { PodServices } from "./containers/environment/pod-services.ts";
import { WatchedConfig } from "./containers/environment/watched-config.ts";
import { ImageKeeper } from "./containers/images/image-keeper.ts";
import { ImageVolumes } from "./containers/images/image-volumes.ts";
import { PullSecrets } from "./containers/images/pull-secrets.ts";
import { TokenKeeper } from "./containers/volumes/token-keeper.ts";
import { csiPlugin } from "./containers/volumes/csi/csi-plugin.ts";
import type { CsiVolumes } from "./containers/volumes/csi/csi-volumes.ts";
import { volumePlugins } from "./containers/volumes/volume-plugins.ts";
import { Volumes } from "./containers/volumes/volumes.ts";
import type { KubeletContext } from "./kubelet-context.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { Admission, type OwnNode } from "./pods/admission/admission.ts";
import { PodResizes } from "./pods/admission/pod-resizes.ts";
import { podParts } from "./pods/parts/pod-parts.ts";
import { PodPlanner } from "./pods/plan/pod-planner.ts";
import { Hooks } from "./pods/probes/hooks.ts";
import { ProbeManager } from "./pods/probes/probe-manager.ts";
import type { StoredPods } from "./pods/static/node-pods.ts";
import { KillCauses } from "./pods/status/kill-causes.ts";
import { StartFailures } from "./pods/status/start-failures.ts";
import { StatusWriter } from "./pods/status/status-writer.ts";
import { ContainerResizer } from "./pods/work/container-resizer.ts";
import { ContainerStarter } from "./pods/work/container-starter.ts";
import { KillsUnderWay } from "./pods/work/kills-under-way.ts";
import { PodStopper } from "./pods/work/pod-stopper.ts";
import { PodSyncer } from "./pods/work/pod-syncer.ts";
import { PodReporter } from "./pods/work/pod-reporter.ts";
import { PodWorkers } from "./pods/work/pod-workers.ts";
import { SandboxStarter } from "./pods/work/sandbox-starter.ts";
import { StepPerformer } from "./pods/work/step-performer.ts";
import { PodReader } from "./runtime/observation/pod-reader.ts";
import { measureRunning } from "./runtime/observation/running-metrics.ts";

interface PodLoops {
  statuses: StatusWriter;
  workers: PodWorkers;
  sync: PodSyncer;
  probes: ProbeManager;
  volumeSource: WatchedConfig;
  podCgroups: PodCgroups;
}

/** The other parts of the node that the work on pods reads. */
interface PodSources {
  ownNode: OwnNode;
  stored: StoredPods;
  csi: CsiVolumes | undefined;
  devices: Pick<DeviceParts, "claims" | "ofContainers">;
}

/** Assembles all parts that work on one pod at a time. */
export function assemblePods(context: KubeletContext, options: KubeletOptions, sources: PodSources): PodLoops {
  const { client, clock, log, wakeUps, fence } = context;
  const killCauses = new KillCauses();
  const statuses = new StatusWriter({
    client,
    clock,
    log,
    findPod: (uid) => sources.stored.find(uid),
    killedBecause: (containerId) => killCauses.find(containerId),
  });
  const podCgroups = new PodCgroups(context, options.podCgroups);
  const volumeSource = new WatchedConfig(context);
  const probes = new ProbeManager({ ...context, nodeIps: context.node.nodeIps });
  const sync = assembleSync(context, options, { ...sources, killCauses, statuses, podCgroups, volumeSource, probes });
  const workers = new PodWorkers({ ...context, sync }, options.workers);
  wakeUps.onWake((uid) => workers.wake(uid));
  fence.onStopped((uid) => workers.overtake(uid));
  fence.onEnded(({ uid, verdict, graceSeconds }) => workers.kill(uid, verdict, graceSeconds));
  fence.onReturned((uid) => workers.wake(uid));
  return { statuses, workers, sync, probes, volumeSource, podCgroups };
}

interface MadeBeforeSync extends PodSources {
  killCauses: KillCauses;
  statuses: StatusWriter;
  podCgroups: PodCgroups;
  volumeSource: WatchedConfig;
  probes: ProbeManager;
}

function assembleSync(context: KubeletContext, options: KubeletOptions, made: MadeBeforeSync): PodSyncer {
  const { client, clock, metrics, pleg, copies, random, log, runtime, files, events, node, wakeUps } = context;
  const { ownNode, killCauses, volumeSource } = made;
  const { errorBackoffMs } = options.workers;
  const admission = new Admission({ events, ownNode, pressure: context.pressure });
  const resizes = new PodResizes({ files, events, refuse: (pod) => admission.refuseResize(pod), wakeUps }, node);
  const tokens = new TokenKeeper({ client, clock, random, log });
  const volumes = assembleVolumes(context, { volumeSource, tokens, csi: made.csi });
  const hooks = new Hooks(context);
  const failures = new StartFailures();
  const kills = new KillsUnderWay(context, { errorBackoffMs });
  const devices = made.devices.claims;
  const shared = { ...context, ...made, resizes, volumes, failures, kills, devices };
  const parts = podParts({ ...shared, admission, tokens });
  const noteObserved = measureRunning({ clock, metrics, pleg, pods: copies.pods }, options);
  const stopper = new PodStopper({ runtime, events, clock, log, kills: killCauses, nodeIps: node.nodeIps, hooks });
  const [dns, runtimeClasses] = [new SandboxDns(context), new RuntimeClasses(context)];
  const pullSecrets = new PullSecrets(context.configSource);
  const starts = new Semaphore(options.startsInFlightMax);
  const images = new ImageKeeper({ runtime, clock, events, pullSecrets }, options.images);
  const performer = new StepPerformer(
    {
      ...shared,
      parts,
      images,
      imageVolumes: new ImageVolumes({ runtime, images }),
      sandboxes: new SandboxStarter({ ...shared, parts, starts, dns, runtimeClasses }, node),
      starter: assembleStarter(context, { volumes, hooks, starts, devices: made.devices.ofContainers }),
      resizer: new ContainerResizer(shared, node),
      stopper,
    },
    { node, errorBackoffMs },
  );
  const { restartBackoff } = options;
  const reader = new PodReader({ ...context, noteObserved });
  const reporter = new PodReporter({ ...shared, parts }, { node, backoffResetMs: restartBackoff.resetMs });
  const planner = new PodPlanner(shared, restartBackoff);
  return new PodSyncer({ ...shared, parts, reader, reporter, planner, performer, stopper }, node);
}

function assembleVolumes(
  context: KubeletContext,
  parts: { volumeSource: WatchedConfig; tokens: TokenKeeper; csi: CsiVolumes | undefined },
): Volumes {
  const { copies } = context;
  const { volumeSource: source, tokens, csi } = parts;
  const plugins = volumePlugins({
    ...context,
    source,
    token: (pod, request) => tokens.get(pod, request),
    drivers: csi && csiPlugin(csi),
    inline: csi,
    isGone: (uid) => copies.pods.synced && copies.pods.byIndex("uid", uid).length === 0,
    nodeLabels: () => copies.node.list()[0]?.metadata.labels ?? {},
  });
  return new Volumes({ ...context, plugins });
}

function assembleStarter(
  context: KubeletContext,
  {
    volumes,
    hooks,
    starts,
    devices,
  }: { volumes: Volumes; hooks: Hooks; starts: Semaphore; devices: DeviceParts["ofContainers"] },
): ContainerStarter {
  const { runtime, files, events, log, clock, node, copies, configSource: source } = context;
  const services = new PodServices({ services: copies.services, clock });
  const preparer = new ContainerPreparer({ runtime, files, source, volumes, services, devices }, node);
  return new ContainerStarter({ runtime, events, log, starts, preparer, hooks }, node);
}
