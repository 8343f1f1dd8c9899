import { join } from "node:path";
import type { Volume } from "@kintsugi/api";
import { ContainerConfigError } from "../containers/config-error.ts";
import type { FileKind, Files } from "../files/files.ts";
import { type NodeContext, podDirectory } from "../node/node-context.ts";
import type { BoundPod } from "../pods/bound-pod.ts";
import { writeAtomicDirectory } from "./atomic-directory.ts";
import { VolumeError } from "./volume-error.ts";
import { hasApiFiles, volumeFiles, type VolumeFilesDeps } from "./volume-files.ts";

export interface VolumesDeps extends VolumeFilesDeps {
  files: Files;
  node: NodeContext;
}

export interface ProvidedVolume {
  hostPath: string;
  readonly: boolean;
}

/** Provides what a pod's volumes hold, each as a directory or file of the node that containers can be given. */
export class Volumes {
  readonly #deps: VolumesDeps;

  constructor(deps: VolumesDeps) {
    this.#deps = deps;
  }

  /**
   * By name. Can be repeated: what is there stays, and what comes from the API is brought up to date.
   * @throws VolumeError, or ContainerConfigError for what this kubelet does not support.
   */
  async provide(pod: BoundPod, podIps: readonly string[]): Promise<Map<string, ProvidedVolume>> {
    const provided = new Map<string, ProvidedVolume>();
    for (const volume of pod.spec.volumes ?? []) {
      try {
        provided.set(volume.name, await this.#provideOne(pod, volume, podIps));
      } catch (error) {
        if (error instanceof ContainerConfigError && error.isFinal) throw error;
        const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${(error as Error).message}`;
        throw new VolumeError(volume.name, message, { cause: error });
      }
    }
    return provided;
  }

  /** Brings up to date what comes from the API, for containers that are running. */
  async refresh(pod: BoundPod, podIps: readonly string[]): Promise<void> {
    for (const volume of pod.spec.volumes ?? []) if (hasApiFiles(volume)) await this.#provideOne(pod, volume, podIps);
  }

  /** Empties the pod's emptyDir volumes; nothing of it may be running. */
  async reset(pod: BoundPod): Promise<void> {
    for (const volume of pod.spec.volumes ?? [])
      if (volume.emptyDir) await this.#deps.files.remove(this.#emptyDirectory(pod.metadata.uid, volume));
  }

  /** What was put in memory for the pod; what lies in its directory goes with that. */
  async remove(uid: string): Promise<void> {
    await this.#deps.files.remove(this.#memoryDirectory(uid));
  }

  async #provideOne(pod: BoundPod, volume: Volume, podIps: readonly string[]): Promise<ProvidedVolume> {
    const { files, node } = this.#deps;
    const { uid } = pod.metadata;
    if (volume.emptyDir) {
      const { medium = "" } = volume.emptyDir;
      if (medium !== "" && medium !== "Memory") throw unsupported(volume, `medium ${medium}`);
      const hostPath = this.#emptyDirectory(uid, volume);
      if ((await files.kindOf(hostPath)) === undefined) {
        await files.makeDirectory(hostPath, 0o777);
        await this.#grantGroup(pod, hostPath);
      }
      return { hostPath, readonly: false };
    }
    if (volume.hostPath) {
      await this.#requireHostPath(volume.hostPath);
      return { hostPath: volume.hostPath.path, readonly: false };
    }
    if (!hasApiFiles(volume)) throw unsupported(volume, `type ${typeOf(volume)}`);
    const secretive = Boolean(volume.secret ?? volume.projected);
    const hostPath = secretive ? this.#inMemory(uid, volume) : this.#onDisk(uid, typeOf(volume).toLowerCase(), volume);
    const wanted = await volumeFiles(volume, { pod, podIps, node }, this.#deps);
    await writeAtomicDirectory(files, hostPath, wanted);
    await this.#grantGroup(pod, hostPath);
    return { hostPath, readonly: true };
  }

  async #grantGroup(pod: BoundPod, hostPath: string): Promise<void> {
    const { fsGroup } = pod.spec.securityContext ?? {};
    if (fsGroup !== undefined) await this.#deps.files.grantGroup(hostPath, fsGroup);
  }

  async #requireHostPath({ path, type = "" }: NonNullable<Volume["hostPath"]>): Promise<void> {
    const { files } = this.#deps;
    const kind = await files.kindOf(path);
    if (type === "") return;
    if (type === "DirectoryOrCreate" && kind === undefined) return files.makeDirectory(path, 0o755);
    if (type === "FileOrCreate" && kind === undefined) return files.write(path, "", 0o644);
    const wanted = hostPathKinds[type];
    if (wanted === undefined) throw new Error(`unknown hostPath type ${type}`);
    if (kind !== wanted) throw new Error(`hostPath type check failed: ${path} is not a ${wanted.replaceAll("-", " ")}`);
  }

  #emptyDirectory(uid: string, volume: Volume): string {
    return volume.emptyDir?.medium === "Memory" ? this.#inMemory(uid, volume) : this.#onDisk(uid, "empty-dir", volume);
  }

  #onDisk(uid: string, plugin: string, volume: Volume): string {
    return join(podDirectory(this.#deps.node, uid), "volumes", `kubernetes.io~${plugin}`, volume.name);
  }

  #inMemory(uid: string, volume: Volume): string {
    return join(this.#memoryDirectory(uid), volume.name);
  }

  #memoryDirectory(uid: string): string {
    return join(this.#deps.node.memoryDirectory, uid);
  }
}

const hostPathKinds: Readonly<Record<string, FileKind>> = {
  DirectoryOrCreate: "directory",
  Directory: "directory",
  FileOrCreate: "file",
  File: "file",
  Socket: "socket",
  CharDevice: "character-device",
  BlockDevice: "block-device",
};

/** The volume's type as its field is called: "nfs". */
function typeOf(volume: Volume): string {
  return Object.keys(volume).find((field) => field !== "name") ?? "emptyDir";
}

function unsupported(volume: Volume, what: string): ContainerConfigError {
  return new ContainerConfigError(`Volume "${volume.name}": ${what} is not supported by this kubelet`, {
    isFinal: true,
  });
}
