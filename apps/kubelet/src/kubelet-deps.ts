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

/** Connects to the node's plugins, with the clients of each type. */
export interface NodePlugins extends PluginAccess {
  readonly connectCsi: ConnectToDriver;
  readonly connectDevices: ConnectToDevices;
}

export interface KubeletDeps {
  client: Client;
  /** Absent: pods are followed over HTTP watches. */
  changes?: ChangeStream | undefined;
  /**
   * Makes the kubelet's copies of the API's objects, for kubelets in one process that share them.
   * Default: a separate informer for each.
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
   * The address in pods' variables at which they reach the API where the Service does not lead
   * there; absent: pods do not get an address.
   */
  apiServer?: (() => { host: string; port: string }) | undefined;
  /**
   * The manifests of pods that this node runs even without an API; absent where there are no
   * manifests.
   */
  manifests?: ManifestSource | undefined;
  /** Connects to the node's storage and device drivers; absent where the node has no drivers. */
  plugins?: NodePlugins | undefined;
  cgroups: Cgroups;
  /**
   * The machine's kernel log. Absent: neither the machine's memory shortage nor OOM kills that the
   * runtime missed are reported.
   */
  kernelLog?: KernelLog | undefined;
}
