import { join } from "node:path";
import type { Volume } from "@kintsugi/api";
import { ContainerConfigError } from "../environment/config-error.ts";
import { removeWithMounts } from "../../machine/files/remove-with-mounts.ts";
import { podDirectory } from "../../model/node-context.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { unsupportedVolume } from "./plugins/unsupported-volume.ts";
import { type PluginDeps, type ProvidedVolume, typeOf, type VolumePlugin } from "./plugins/volume-plugin.ts";
import { VolumeError } from "./volume-error.ts";

export interface VolumesDeps extends PluginDeps {
  /** One for each type of volume. The first plugin that supports a volume provides the volume. */
  plugins: readonly VolumePlugin[];
}

export interface SubPathRequest {
  pod: BoundPod;
  containerName: string;
  volumeName: string;
  volume: ProvidedVolume;
  /** The index of the container's mount, because one volume may be mounted several times. */
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
   * Returns the volumes by name, without image volumes. May be repeated: existing volumes are
   * unchanged, and volumes from the API are updated.
   * @throws VolumeError, or ContainerConfigError for a volume that this kubelet does not support.
   */
  async provide(pod: BoundPod): Promise<Map<string, ProvidedVolume>> {
    const provided = new Map<string, ProvidedVolume>();
    for (const volume of pod.spec.volumes ?? []) {
      // The runtime mounts the image itself, so there is no path on the node.
      if (volume.image !== undefined) continue;
      provided.set(volume.name, await this.#provideOne(pod, volume));
    }
    return provided;
  }

  /**
   * Updates the contents from the API for running containers. A volume that cannot be updated does
   * not delay the other volumes.
   * @throws VolumeError for the first volume that could not be updated.
   */
  async refresh(pod: BoundPod): Promise<void> {
    let firstError: unknown;
    const following = (pod.spec.volumes ?? []).filter((volume) => this.#findPlugin(volume)?.followsApi);
    for (const volume of following) {
      await this.#provideOne(pod, volume).catch((error: unknown) => {
        firstError ??= error;
      });
    }
    if (firstError !== undefined) throw firstError as Error;
  }

  /**
   * One part of a volume, as a separate path, so that a link inside the volume cannot lead the
   * container out of it.
   */
  async provideSubPath(request: SubPathRequest): Promise<string> {
    const { pod, containerName, volumeName, volume, mountIndex, subPath } = request;
    const own = join(podDirectory(this.#deps.node, pod.metadata.uid), "volume-subpaths", volumeName, containerName);
    const target = join(own, String(mountIndex));
    try {
      await this.#deps.mounts.bindInside({ root: volume.hostPath, inside: subPath, target });
    } catch (error) {
      // The message has no details of the node's files, like upstream's; the cause is only for the
      // log.
      throw new ContainerConfigError(
        `failed to prepare subPath for volumeMount "${volumeName}" of container "${containerName}"`,
        { cause: error },
      );
    }
    return target;
  }

  /**
   * Empties the pod's volumes that live as long as its containers, none of which may be running.
   */
  async reset(pod: BoundPod): Promise<void> {
    const { uid } = pod.metadata;
    // Subpaths of the volumes may be bind-mounted here.
    await removeWithMounts(this.#deps, join(podDirectory(this.#deps.node, uid), "volume-subpaths"));
    for (const volume of pod.spec.volumes ?? []) await this.#findPlugin(volume)?.reset?.({ pod, volume });
  }

  /**
   * Removes the volumes of an ended pod. Its directory with its containers' termination messages
   * remains.
   */
  async tearDown(uid: string): Promise<void> {
    const directory = podDirectory(this.#deps.node, uid);
    await this.#unmount(uid);
    await removeWithMounts(this.#deps, join(directory, "volumes"));
    await this.#tearDownElsewhere(uid);
  }

  /** Removes everything that was provided for the pod, with its directory. */
  async remove(uid: string): Promise<void> {
    await this.#unmount(uid);
    await removeWithMounts(this.#deps, podDirectory(this.#deps.node, uid));
    await this.#tearDownElsewhere(uid);
  }

  /**
   * Subpaths of the volumes are bind-mounted in the pod's directory, and keep the volumes in use.
   */
  async #unmount(uid: string): Promise<void> {
    await removeWithMounts(this.#deps, join(podDirectory(this.#deps.node, uid), "volume-subpaths"));
    for (const plugin of this.#deps.plugins) await plugin.unmount?.(uid);
  }

  async #provideOne(pod: BoundPod, volume: Volume): Promise<ProvidedVolume> {
    const plugin = this.#findPlugin(volume);
    if (plugin === undefined) throw unsupportedVolume(volume, `type ${typeOf(volume)}`);
    try {
      return await plugin.setUp({ pod, volume });
    } catch (error) {
      if (error instanceof VolumeError) throw error;
      if (error instanceof ContainerConfigError && error.isFinal) throw error;
      const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${(error as Error).message}`;
      throw new VolumeError(volume.name, message, { cause: error });
    }
  }

  #findPlugin(volume: Volume): VolumePlugin | undefined {
    return this.#deps.plugins.find((plugin) => plugin.supports(volume));
  }

  /** Only the pod's directory may be known, so every plugin searches it. */
  async #tearDownElsewhere(uid: string): Promise<void> {
    for (const plugin of this.#deps.plugins) await plugin.tearDown?.(uid);
  }
}
