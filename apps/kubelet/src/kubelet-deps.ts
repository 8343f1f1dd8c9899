import type { ChangeStream, Logger, Metrics } from "@kintsugi/api";
import type { Client, createInformer } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { ConnectToDevices } from "./containers/devices/device-drivers.ts";
import type { ConnectToDriver } from "./containers/volumes/csi/driver-registry.ts";
import type { ConfigSource } from "./containers/environment/config-source.ts";
import type { Files } from "./machine/files/files.ts";
import type { Mounts } from "./machine/files/mounts.ts";
import type { Cgroups } from "./machine/kernel/cgroups.ts";
import type { KernelLog } from "./machine/kernel/kernel-log.ts";
import type { Machine } from "./machine/kernel/machine.ts";
import type { Prober } from "./pods/probes/prober.ts";
import type { PluginAccess } from "./plugins/plugin-registry.ts";
import type { ManifestSource } from "./pods/static/manifest-source.ts";

/** The way to the node's plugins, with the clients of each type. */
export interface NodePlugins extends PluginAccess {
  readonly connectCsi: ConnectToDriver;
  readonly connectDevices: ConnectToDevices;
}

export interface KubeletDeps {
  client: Client;
  /** The pods are followed over HTTP watches where this is absent. */
  changes?: ChangeStream | undefined;
  /**
   * Makes the kubelet's copies of the API's objects, for kubelets in one process that share theirs.
   * Default: an informer of its own for each.
   */
  makeInformer?: typeof createInformer | undefined;
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
  /**
   * The address at which pods reach the API where no Service leads there, for their variables; they
   * get none where this is absent.
   */
  apiServer?: (() => { host: string; port: string }) | undefined;
  /** The manifests of pods that this node runs even without an API; absent: there are none. */
  manifests?: ManifestSource | undefined;
  /** The way to the node's drivers of storage and devices; absent: it has none. */
  plugins?: NodePlugins | undefined;
  cgroups: Cgroups;
  /**
   * The machine's kernel log; where it is absent, neither the machine's lack of memory nor the OOM
   * kills that the runtime missed are reported.
   */
  kernelLog?: KernelLog | undefined;
}
