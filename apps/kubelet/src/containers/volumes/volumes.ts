import { join } from "node:path";
import type { Volume } from "@kintsugi/api";
import { ContainerConfigError } from "../environment/config-error.ts";
import type { Files } from "../../machine/files/files.ts";
import type { Mounts } from "../../machine/files/mounts.ts";
import { removeWithMounts } from "../../machine/files/remove-with-mounts.ts";
import { type NodeContext, podDirectory } from "../../model/node-context.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { writeAtomicDirectory } from "./atomic-directory.ts";
import { memorySizeBytes } from "./empty-dir.ts";
import { requireHostPath } from "./host-path.ts";
import { VolumeError } from "./volume-error.ts";
import { hasApiFiles, volumeFiles, type VolumeFilesDeps } from "./volume-files.ts";

export interface VolumesDeps extends VolumeFilesDeps {
  files: Files;
  mounts: Mounts;
  node: NodeContext;
}

export interface ProvidedVolume {
  hostPath: string;
  readonly: boolean;
}

export interface SubPathRequest {
  pod: BoundPod;
  containerName: string;
  volumeName: string;
  volume: ProvidedVolume;
  /** The index of the container's mount: one volume may be mounted several times. */
  mountIndex: number;
  subPath: string;
}

/** Provides a pod's volumes, each as a directory or file of the node that containers can mount. */
export class Volumes {
  readonly #deps: VolumesDeps;

  constructor(deps: VolumesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the volumes by name. Can be repeated: existing ones stay, and those from the API are
   * brought up to date.
   * @throws VolumeError, or ContainerConfigError for a volume that this kubelet does not support.
   */
  async provide(pod: BoundPod): Promise<Map<string, ProvidedVolume>> {
    const provided = new Map<string, ProvidedVolume>();
    for (const volume of pod.spec.volumes ?? []) {
      provided.set(volume.name, await this.#named(volume, () => this.#provideOne(pod, volume)));
    }
    return provided;
  }

  /**
   * Brings the contents from the API up to date, for containers that are running. One volume that
   * cannot be does not hold back the others.
   * @throws VolumeError for the first that could not be.
   */
  async refresh(pod: BoundPod): Promise<void> {
    let firstError: unknown;
    for (const volume of (pod.spec.volumes ?? []).filter(hasApiFiles)) {
      await this.#named(volume, () => this.#provideOne(pod, volume)).catch((error: unknown) => {
        firstError ??= error;
      });
    }
    if (firstError !== undefined) throw firstError as Error;
  }

  /**
   * One part of a volume, as a path of its own, so that no link inside the volume can lead the
   * container elsewhere.
   */
  async provideSubPath(request: SubPathRequest): Promise<string> {
    const { pod, containerName, volumeName, volume, mountIndex, subPath } = request;
    const own = join(podDirectory(this.#deps.node, pod.metadata.uid), "volume-subpaths", volumeName, containerName);
    const target = join(own, String(mountIndex));
    try {
      await this.#deps.mounts.bindInside({ root: volume.hostPath, inside: subPath, target });
    } catch (error) {
      // The message has no detail of the node's files, like upstream's; the cause is for the log.
      throw new ContainerConfigError(
        `failed to prepare subPath for volumeMount "${volumeName}" of container "${containerName}"`,
        { cause: error },
      );
    }
    return target;
  }

  /** Empties the pod's emptyDir volumes; nothing of it may be running. */
  async reset(pod: BoundPod): Promise<void> {
    const { uid } = pod.metadata;
    // Parts of the volumes may be bound here.
    await removeWithMounts(this.#deps, join(podDirectory(this.#deps.node, uid), "volume-subpaths"));
    for (const { name, emptyDir } of pod.spec.volumes ?? [])
      if (emptyDir) await removeWithMounts(this.#deps, this.#emptyDirectory(uid, name));
  }

  /**
   * Removes the volumes of a pod that has ended; its directory stays, with its containers'
   * termination messages.
   */
  async tearDown(uid: string): Promise<void> {
    const directory = podDirectory(this.#deps.node, uid);
    for (const part of ["volume-subpaths", "volumes"]) await removeWithMounts(this.#deps, join(directory, part));
    await this.#deps.files.remove(this.#memoryDirectory(uid));
  }

  /** Everything that was provided for the pod, with its directory. */
  async remove(uid: string): Promise<void> {
    await removeWithMounts(this.#deps, podDirectory(this.#deps.node, uid));
    await this.#deps.files.remove(this.#memoryDirectory(uid));
  }

  async #named<T>(volume: Volume, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ContainerConfigError && error.isFinal) throw error;
      const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${(error as Error).message}`;
      throw new VolumeError(volume.name, message, { cause: error });
    }
  }

  async #provideOne(pod: BoundPod, volume: Volume): Promise<ProvidedVolume> {
    const { files, node } = this.#deps;
    if (volume.emptyDir) return { hostPath: await this.#provideEmpty(pod, volume), readonly: false };
    if (volume.hostPath) {
      await requireHostPath(files, volume.hostPath);
      return { hostPath: volume.hostPath.path, readonly: false };
    }
    if (!hasApiFiles(volume)) throw unsupported(volume, `type ${typeOf(volume)}`);
    const { uid } = pod.metadata;
    const secretive = Boolean(volume.secret ?? volume.projected);
    const hostPath = secretive
      ? join(this.#memoryDirectory(uid), volume.name)
      : this.#onDisk(uid, typeOf(volume).toLowerCase(), volume.name);
    // No volume may contain addresses, so it can be made before the sandbox has any.
    const wanted = await volumeFiles(volume, { pod, podIps: [], node }, this.#deps);
    const { fsGroup: groupId } = pod.spec.securityContext ?? {};
    await writeAtomicDirectory(files, hostPath, { files: wanted, groupId });
    return { hostPath, readonly: true };
  }

  async #provideEmpty(pod: BoundPod, volume: Volume): Promise<string> {
    const { files, mounts, node } = this.#deps;
    const { medium = "" } = volume.emptyDir ?? {};
    if (medium !== "" && medium !== "Memory") throw unsupported(volume, `medium ${medium}`);
    const directory = this.#emptyDirectory(pod.metadata.uid, volume.name);
    const isThere = medium === "Memory" ? await this.#isMounted(directory) : await this.#isDirectory(directory);
    if (isThere) return directory;
    await files.makeDirectory(directory, 0o777);
    if (volume.emptyDir && medium === "Memory")
      await mounts.mountMemory(directory, memorySizeBytes(pod, volume.emptyDir, node.allocatable.memoryBytes));
    const { fsGroup } = pod.spec.securityContext ?? {};
    if (fsGroup !== undefined) await files.grantGroup(directory, fsGroup, { readonly: false });
    return directory;
  }

  async #isMounted(directory: string): Promise<boolean> {
    return (await this.#deps.mounts.below(directory)).length > 0;
  }

  async #isDirectory(path: string): Promise<boolean> {
    return (await this.#deps.files.kindOf(path)) !== undefined;
  }

  #emptyDirectory(uid: string, name: string): string {
    return this.#onDisk(uid, "empty-dir", name);
  }

  #onDisk(uid: string, plugin: string, name: string): string {
    return join(podDirectory(this.#deps.node, uid), "volumes", `kubernetes.io~${plugin}`, name);
  }

  #memoryDirectory(uid: string): string {
    return join(this.#deps.node.memoryDirectory, uid);
  }
}

/** The volume's type as its field is called: "nfs". */
function typeOf(volume: Volume): string {
  return Object.keys(volume).find((field) => field !== "name") ?? "emptyDir";
}

function unsupported(volume: Volume, what: string): ContainerConfigError {
  return new ContainerConfigError(`Volume "${volume.name}": ${what} is not supported by this kubelet`, {
    isFinal: true,
  });
}
