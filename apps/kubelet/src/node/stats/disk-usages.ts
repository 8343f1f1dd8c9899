import { join } from "node:path";
import type { Logger, Pod } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { FileUsage, Files } from "../../machine/files/files.ts";
import { type NodeContext, podDirectory, podLogDirectory } from "../../model/node-context.ts";
import type { ClaimUsage, ClaimUsages } from "./claim-usages.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";

/** A pod's usage of the node's file systems, in addition to its containers' own layers. */
export interface PodDiskUsage {
  measuredMs: number;
  volumes: VolumeUsage[];
  /** The volumes behind claims. */
  claims: ClaimUsage[];
  /** The current log and the rotated logs, by container. */
  logs: ReadonlyMap<string, FileUsage>;
}

interface VolumeUsage extends FileUsage {
  name: string;
  /** "empty-dir", "configmap": the plugin that provided the volume. */
  plugin: string;
  /** True where the volume uses memory instead of disk. */
  inMemory: boolean;
}

export interface DiskUsagesDeps {
  files: Files;
  node: NodeContext;
  clock: Clock;
  log: Logger;
  pods: { find(uid: string): Pod | undefined };
  claims: Pick<ClaimUsages, "measure">;
}

const claimPlugins: readonly string[] = ["csi", "local-volume"];

/** Measures pods' directories, file by file. A recent measurement is not repeated. */
export class DiskUsages {
  readonly #deps: DiskUsagesDeps;
  readonly #usages = new Map<string, PodDiskUsage>();

  constructor(deps: DiskUsagesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns usages by uid, not older than `ageMaxMs`; other pods are removed. Pods are measured one
   * after the other, because measuring burdens the disk that it is meant to protect.
   */
  async measure(pods: readonly PodIdentity[], ageMaxMs: number): Promise<ReadonlyMap<string, PodDiskUsage>> {
    const found = new Map<string, PodDiskUsage>();
    for (const pod of pods) {
      const known = this.#usages.get(pod.uid);
      const isFresh = known !== undefined && this.#deps.clock.nowMs() - known.measuredMs < ageMaxMs;
      const usage = isFresh ? known : await this.#tryToMeasure(pod);
      if (usage === undefined) continue;
      found.set(pod.uid, usage);
      this.#usages.set(pod.uid, usage);
    }
    for (const uid of this.#usages.keys()) if (!found.has(uid)) this.#usages.delete(uid);
    return found;
  }

  /** An error of one pod affects only that pod's figures. */
  async #tryToMeasure(pod: PodIdentity): Promise<PodDiskUsage | undefined> {
    try {
      return await this.#measureOne(pod);
    } catch (error) {
      this.#warn(pod, error);
      return undefined;
    }
  }

  async #measureOne(pod: PodIdentity): Promise<PodDiskUsage> {
    const { files, node, clock } = this.#deps;
    const volumes: VolumeUsage[] = [];
    const specs = this.#deps.pods.find(pod.uid)?.spec?.volumes ?? [];
    const isMemory = (name: string) => specs.find((each) => each.name === name)?.emptyDir?.medium === "Memory";
    const root = join(podDirectory(node, pod.uid), "volumes");
    for (const directory of await files.list(root)) {
      const plugin = directory.replace("kubernetes.io~", "");
      // These volumes are not on the node's own disk; their drivers measure them.
      if (claimPlugins.includes(plugin)) continue;
      for (const name of await files.list(join(root, directory))) {
        const used = await this.#usage(pod, join(root, directory, name));
        if (used) volumes.push({ name, plugin, inMemory: isMemory(name), ...used });
      }
    }
    const memory = join(node.memoryDirectory, pod.uid);
    for (const name of await files.list(memory)) {
      const used = await this.#usage(pod, join(memory, name));
      if (used) volumes.push({ name, plugin: "", inMemory: true, ...used });
    }
    const logs = new Map<string, FileUsage>();
    const logRoot = podLogDirectory(node, pod);
    for (const name of await files.list(logRoot)) {
      const used = await this.#usage(pod, join(logRoot, name));
      if (used) logs.set(name, used);
    }
    return { measuredMs: clock.nowMs(), volumes, claims: await this.#claims(pod), logs };
  }

  /** A failure omits only the figures of these files. */
  async #usage(pod: PodIdentity, path: string): Promise<FileUsage | undefined> {
    try {
      return await this.#deps.files.usage(path);
    } catch (error) {
      this.#warn(pod, error);
      return undefined;
    }
  }

  async #claims(pod: PodIdentity): Promise<ClaimUsage[]> {
    try {
      return await this.#deps.claims.measure(pod.uid);
    } catch (error) {
      this.#warn(pod, error);
      return [];
    }
  }

  #warn({ namespace, name }: PodIdentity, error: unknown): void {
    this.#deps.log.warn("part of a pod's disk usage not measured", { pod: `${namespace}/${name}`, error });
  }
}
