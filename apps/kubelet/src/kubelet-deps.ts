import type { ChangeStream, Logger, Metrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { ConfigSource } from "./containers/environment/config-source.ts";
import type { Files } from "./machine/files/files.ts";
import type { Mounts } from "./machine/files/mounts.ts";
import type { Cgroups } from "./machine/kernel/cgroups.ts";
import type { KernelLog } from "./machine/kernel/kernel-log.ts";
import type { Machine } from "./machine/kernel/machine.ts";
import type { Prober } from "./pods/probes/prober.ts";
import type { ManifestSource } from "./pods/static/manifest-source.ts";

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
  /**
   * Where pods reach the API where no Service leads there, told in their variables; without it,
   * they are not told.
   */
  apiServer?: (() => { host: string; port: string }) | undefined;
  /** Of the pods that this node runs whatever the API says; without it, there are none. */
  manifests?: ManifestSource | undefined;
  cgroups: Cgroups;
  /**
   * Of the machine; without it, nobody is told when the machine as a whole runs out of memory, nor
   * of OOM kills that the runtime missed.
   */
  kernelLog?: KernelLog | undefined;
}
