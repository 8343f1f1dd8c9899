import type { Container, Volume } from "@kintsugi/api";
import { type ContainerRuntime, type ImageMounts, imageMountsOf, type PodSandboxConfig } from "@kintsugi/cri";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { StartFailure } from "../../model/start-failure.ts";
import { ContainerConfigError } from "../environment/config-error.ts";
import type { ImageKeeper, ImageOutcome } from "./image-keeper.ts";

/** An image on the node whose files a container can mount (KEP-4639). */
export interface MountableImage {
  reference: string;
  /** True where the runtime can also mount a part of the files. */
  hasSubPaths: boolean;
}

/**
 * The images of a pod's volumes by the volumes' names, each as a promise while it is being pulled.
 */
export type MountableImages = ReadonlyMap<string, Promise<MountableImage>>;

/** The image of a volume is not on the node. The containers that mount it wait for it. */
export class ImageVolumeError extends Error {
  override readonly name = "ImageVolumeError";
  readonly failure: StartFailure;
  readonly retryAfterMs: number | undefined;

  constructor({ failure, retryAfterMs }: Extract<ImageOutcome, { kind: "failed" }>) {
    super(failure.message);
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ImageVolumesDeps {
  runtime: Pick<ContainerRuntime, "version">;
  images: Pick<ImageKeeper, "ensure">;
}

export interface ImageVolumesRequest {
  pod: BoundPod;
  /** Only the volumes that these containers mount are needed. */
  containers: readonly Pick<Container, "volumeMounts">[];
  sandboxConfig: PodSandboxConfig;
}

/** Pulls the images of volumes to the node (kuberuntime_manager.go getImageVolumes). */
export class ImageVolumes {
  readonly #deps: ImageVolumesDeps;

  constructor(deps: ImageVolumesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns immediately. A promise rejects with an ImageVolumeError, or with a
   * ContainerConfigError where the runtime cannot mount images.
   */
  ensure(request: ImageVolumesRequest, signal: AbortSignal): MountableImages {
    const mounted = new Set(
      request.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
    );
    const wanted = (request.pod.spec.volumes ?? []).filter(
      ({ name, image }) => image !== undefined && mounted.has(name),
    );
    if (wanted.length === 0) return new Map();
    const version = this.#deps.runtime.version(signal);
    return new Map(
      wanted.map((volume) => {
        const ensuring = version.then((told) => {
          const { runtimeName, runtimeVersion } = told;
          const mounts = imageMountsOf(told);
          if (!mounts.whole) throw refusal(volume, `${runtimeName} ${runtimeVersion}`);
          return this.#ensureOne(request, { volume, mounts }, signal);
        });
        // The containers that mount the volume await the pull. Without such a container the failure
        // is not reported.
        ensuring.catch(() => {});
        return [volume.name, ensuring];
      }),
    );
  }

  async #ensureOne(
    { pod, sandboxConfig }: ImageVolumesRequest,
    { volume, mounts }: { volume: Volume; mounts: ImageMounts },
    signal: AbortSignal,
  ): Promise<MountableImage> {
    const { reference, pullPolicy } = volume.image ?? {};
    // The API accepts the same policies for containers and image volumes.
    const imagePullPolicy = pullPolicy as Container["imagePullPolicy"];
    const container = { name: undefined, image: reference, imagePullPolicy };
    const outcome = await this.#deps.images.ensure({ pod, container, sandboxConfig }, signal);
    if (outcome.kind === "failed") throw new ImageVolumeError(outcome);
    return { reference: outcome.reference, hasSubPaths: mounts.subPaths };
  }
}

function refusal({ name }: Volume, runtime: string): ContainerConfigError {
  return new ContainerConfigError(
    `Volume "${name}": type image is not supported by this kubelet with ${runtime}: use containerd 2.1 or CRI-O 1.31, or newer`,
    { isFinal: true },
  );
}
