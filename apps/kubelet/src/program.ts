import type { Logger } from "@kintsugi/api";
import { type Client, createHttpClient, openKubeconfig } from "@kintsugi/client";
import { type Clock, systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { createCriRuntime } from "@kintsugi/cri";
import { createCsiClient } from "@kintsugi/csi";
import { openRegistration } from "@kintsugi/grpc";
import { createDeviceClient } from "@kintsugi/dra";
import { createMetrics, defineService, followFiles, type Loop, makeDirectory, recordFeatures } from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import { type KubeletConfig, options, readOptions } from "./config.ts";
import { linuxCgroups } from "./machine/kernel/linux-cgroups.ts";
import { ApiAddress, certificateShown, resolveHere } from "./containers/environment/api-address.ts";
import { apiConfigSource } from "./containers/environment/config-source.ts";
import { nodeFiles } from "./machine/files/node-files.ts";
import { assembleKubelet } from "./kubelet.ts";
import { csiTimeoutMs, devicesTimeoutMs, type KubeletOptions } from "./kubelet-options.ts";
import { linuxMounts } from "./machine/files/linux-mounts.ts";
import { logFilesBelow } from "./runtime/logs/log-file.ts";
import { createLinuxMachine } from "./machine/kernel/linux-machine.ts";
import { linuxKernelLog } from "./machine/kernel/kernel-log.ts";
import { measuredRuntime } from "./runtime/observation/measured-runtime.ts";
import { createProber } from "./pods/probes/network-prober.ts";
import { AccessReviews, askApi } from "./server/access-reviews.ts";
import { manifestDirectory } from "./pods/static/manifest-directory.ts";
import { KubeletServer } from "./server/kubelet-server.ts";
import { askWhoseToken, TokenReviews } from "./server/token-reviews.ts";
import type { NodePlugins } from "./kubelet-deps.ts";
import { socketDirectory } from "./plugins/socket-directory.ts";
import { kubeletRoutes } from "./server/routes.ts";

/**
 * The file has upstream's kind. Settings that upstream has only as flags are in the file under the
 * flag's name in camelCase.
 */
export const program = defineService({
  name: "kubelet",
  description: "Runs the pods that are bound to this node, and reports the status of the pods and of the node.",
  file: { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" },
  reload:
    "The kubelet reads this file only at its start, as upstream's kubelet does. Restart the kubelet after a change; its containers keep running",
  options,
  sampled: { "hostname-override": { ...options["hostname-override"], fallback: "node-1" } },
  read: readOptions,
  start,
});

async function start(config: KubeletConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  recordFeatures(metrics, config.features);
  const apiAddress = new ApiAddress(
    { clock, log, resolve: resolveHere, certificateAt: certificateShown(access) },
    access.server,
  );
  await makeDirectories(config.kubelet);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kubelet/${config.kubelet.version}` },
  );
  const bus = createClusterBus(
    { clock, log, call: (request) => client.call(request) },
    { service: "kubelet", ca: access.ca ?? "" },
  );
  const { runtimeEndpoint: endpoint, runtimeRequestTimeoutMs: callTimeoutMs } = config;
  const runtime = measuredRuntime(
    { clock, metrics },
    createCriRuntime({ clock, random, log }, { endpoint, callTimeoutMs }),
  );
  const kubelet = await assembleKubelet(
    {
      client,
      changes: bus.changes,
      runtime,
      clock,
      random,
      log,
      metrics,
      files: nodeFiles,
      mounts: linuxMounts,
      machine: createLinuxMachine(config.machine),
      prober: createProber(runtime, { version: config.kubelet.version }),
      configSource: apiConfigSource(client),
      apiServer: () => apiAddress.get(),
      ...(config.manifestPath === undefined ? {} : { manifests: manifestDirectory(config.manifestPath) }),
      plugins: nodePlugins(clock, config),
      cgroups: linuxCgroups,
      kernelLog: linuxKernelLog,
    },
    config.kubelet,
  );
  const logFiles = logFilesBelow(config.kubelet.podLogsDirectory);
  const routes = kubeletRoutes({
    pods: kubelet.pods,
    runtimeUidOf: kubelet.runtimeUidOf,
    runtime,
    clock,
    logFiles,
    metrics,
    stats: kubelet.stats,
    log,
    errors: () => kubelet.errors(),
  });
  const reviews = new AccessReviews({ ask: askApi(client), clock }, { nodeName: config.kubelet.nodeName });
  const tokens = tokenReviews({ client, clock }, config);
  const server = new KubeletServer({ clock, log, metrics, routes, reviews, tokens }, config.server);
  return [
    bus,
    followFiles({ clock, log }, followed),
    { name: "API address", run: (signal) => apiAddress.run(signal).then(() => untilAborted(signal)) },
    { name: "kubelet", run: (signal) => kubelet.run(signal) },
    { name: "server", run: (signal) => server.run(signal) },
  ];
}

function nodePlugins(clock: Clock, { pluginRegistrationDirectory }: KubeletConfig): NodePlugins {
  return {
    sockets: socketDirectory(pluginRegistrationDirectory),
    connectCsi: (endpoint) => createCsiClient({ clock }, { endpoint, callTimeoutMs: csiTimeoutMs }),
    connectDevices: (endpoint, service) =>
      createDeviceClient({ clock }, { endpoint, service, callTimeoutMs: devicesTimeoutMs }),
    register: (socketPath) => openRegistration({ clock }, socketPath),
  };
}

function tokenReviews(deps: { client: Client; clock: Clock }, { tokenCacheTtlMs }: KubeletConfig) {
  if (tokenCacheTtlMs === undefined) return undefined;
  const { client, clock } = deps;
  return new TokenReviews({ ask: askWhoseToken(client), clock }, { cacheTtlMs: tokenCacheTtlMs });
}

async function makeDirectories({ rootDirectory, podLogsDirectory, memoryDirectory }: KubeletOptions): Promise<void> {
  // Volumes below this directory have the modes that their pods request.
  await makeDirectory(rootDirectory, { flag: "--root-dir", mode: 0o750 });
  await makeDirectory(podLogsDirectory, { flag: "--pod-logs-dir" });
  await makeDirectory(memoryDirectory, { flag: "--memory-dir", mode: 0o700 });
}
