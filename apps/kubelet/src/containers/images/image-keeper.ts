import type { Container } from "@kintsugi/api";
import { type Clock, Semaphore } from "@kintsugi/clock";
import { type ContainerRuntime, type Image, type PodSandboxConfig, RuntimeError } from "@kintsugi/cri";
import type { PodEvents } from "../../model/pod-events.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { StartFailure } from "../../model/start-failure.ts";
import { defaultPullPolicy, parseImageName } from "./image-name.ts";
import { isImported } from "./is-imported.ts";
import { PullBackoff, type PullBackoffOptions } from "./pull-backoff.ts";
import type { PullSecrets } from "./pull-secrets.ts";
import { credentialsFor, type RegistryCredential } from "./registry-credentials.ts";
import { formatGoDuration } from "../../base/go-duration.ts";

export interface ImageKeeperOptions extends PullBackoffOptions {
  /**
   * Images that were imported and never pulled are used without a pull, even where the pull policy
   * is Always, for nodes without a registry. They are also never removed as garbage. All other
   * images are pulled and removed as usual. Default false.
   */
  localImages: boolean;
  /**
   * Limit of concurrent pulls, beyond which pulls wait (`--max-parallel-image-pulls`). 1 is
   * upstream's `serializeImagePulls`. Default 5.
   */
  parallelPullsMax: number;
}

export interface ImageKeeperDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  events: PodEvents;
  pullSecrets: Pick<PullSecrets, "of">;
}

export interface ImageRequest {
  pod: BoundPod;
  /** The container that needs the image; an image volume has no container name. */
  container: Pick<Container, "image" | "imagePullPolicy"> & { name: string | undefined };
  sandboxConfig: PodSandboxConfig;
}

export type ImageOutcome =
  | { kind: "present"; reference: string; image: Image | undefined }
  | { kind: "failed"; failure: StartFailure; retryAfterMs: number | undefined };

/**
 * Time for which the error of a pull is in the status. Afterwards the status shows the back-off.
 */
const errorShownMs = 1000;

/** Ensures that a container's image is on the node, according to its pull policy. */
export class ImageKeeper {
  readonly #deps: ImageKeeperDeps;
  readonly #options: ImageKeeperOptions;
  readonly #backoff: PullBackoff;
  readonly #pulls: Semaphore;

  constructor(deps: ImageKeeperDeps, options: ImageKeeperOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#backoff = new PullBackoff(deps, options);
    this.#pulls = new Semaphore(options.parallelPullsMax);
  }

  async ensure(request: ImageRequest, signal: AbortSignal): Promise<ImageOutcome> {
    const { pod, container } = request;
    const { events, runtime } = this.#deps;
    const image = container.image ?? "";
    const parsed = parseImageName(image);
    if (!parsed.ok) {
      const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${parsed.because}`;
      events.warning(pod, "InspectFailed", message, container.name);
      return failed("InvalidImageName", message);
    }
    const present = await this.#find(parsed.reference, request, signal);
    if ("kind" in present) return present;
    const policy = container.imagePullPolicy ?? defaultPullPolicy(image);
    const isLocal = this.#options.localImages && present.image !== undefined && isImported(present.image);
    if (present.image && (policy !== "Always" || isLocal)) {
      this.#backoff.succeeded(backoffKey(request));
      events.normal(pod, "Pulled", `Container image "${image}" already present on machine`, container.name);
      return { kind: "present", reference: present.image.id, image: present.image };
    }
    if (policy === "Never") {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      events.warning(pod, "ErrImageNeverPull", message, container.name);
      return failed("ErrImageNeverPull", message);
    }
    const reference = await this.#pull(parsed.reference, request, signal);
    if (typeof reference !== "string") return reference;
    return { kind: "present", reference, image: await runtime.imageStatus(reference, signal) };
  }

  async #find(
    reference: string,
    request: ImageRequest,
    signal: AbortSignal,
  ): Promise<{ image: Image | undefined } | ImageOutcome> {
    try {
      return { image: await this.#deps.runtime.imageStatus(reference, signal) };
    } catch (error) {
      if (signal.aborted || !(error instanceof RuntimeError)) throw error;
      const message = `Failed to inspect image "${request.container.image}": ${error.message}`;
      this.#deps.events.warning(request.pod, "InspectFailed", message, request.container.name);
      return failed("ImageInspectError", message);
    }
  }

  async #pull(reference: string, request: ImageRequest, signal: AbortSignal): Promise<string | ImageOutcome> {
    const { pod, container, sandboxConfig } = request;
    const { events, clock } = this.#deps;
    const key = backoffKey(request);
    const held = this.#backoff.find(key);
    if (held) {
      events.normal(pod, "BackOff", `Back-off pulling image "${container.image}"`, container.name);
      return { ...heldBack(container, held.error), retryAfterMs: held.remainingMs };
    }
    events.normal(pod, "Pulling", `Pulling image "${container.image}"`, container.name);
    const startedMs = clock.monotonicMs();
    try {
      let begunMs = startedMs;
      const pulled = await this.#pulls.run(() => {
        begunMs = clock.monotonicMs();
        return this.#pullWithAny(reference, request, { sandboxConfig, signal });
      });
      const took = formatGoDuration(clock.monotonicMs() - begunMs);
      const waited = formatGoDuration(clock.monotonicMs() - startedMs);
      const size = (await this.#deps.runtime.imageStatus(pulled, signal))?.sizeBytes ?? 0;
      const message = `Successfully pulled image "${container.image}" in ${took} (${waited} including waiting). Image size: ${size} bytes.`;
      events.normal(pod, "Pulled", message, container.name);
      this.#backoff.succeeded(key);
      return pulled;
    } catch (error) {
      if (signal.aborted || !(error instanceof RuntimeError)) throw error;
      const isFirst = !this.#backoff.knows(key);
      this.#backoff.failed(key, error.message);
      events.warning(pod, "Failed", `Failed to pull image "${container.image}": ${error.message}`, container.name);
      // A kubelet that has just started tries immediately, which the pod's status need not show.
      const outcome =
        isFirst && saysHeldBack(pod, container.name)
          ? heldBack(container, error.message)
          : failed("ErrImagePull", error.message);
      return { ...outcome, retryAfterMs: errorShownMs };
    }
  }

  /**
   * Tries each credential in turn, as upstream tries a keyring. Without credentials, it pulls
   * anonymously.
   */
  async #pullWithAny(
    reference: string,
    request: ImageRequest,
    { sandboxConfig, signal }: { sandboxConfig: PodSandboxConfig; signal: AbortSignal },
  ): Promise<string> {
    let last: Error = new RuntimeError("failed", `no credential to pull ${reference} with`);
    const credentials = credentialsFor(reference, await this.#credentials(request.pod));
    for (const auth of credentials.length > 0 ? credentials : [undefined]) {
      signal.throwIfAborted();
      try {
        return await this.#deps.runtime.pullImage(reference, { sandboxConfig, ...(auth ? { auth } : {}) }, signal);
      } catch (error) {
        last = error as Error;
        if (signal.aborted || !(error instanceof RuntimeError)) break;
      }
    }
    throw last;
  }

  async #credentials(pod: BoundPod): Promise<RegistryCredential[]> {
    const { credentials, missing } = await this.#deps.pullSecrets.of(pod);
    if (missing.length > 0) {
      const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
      this.#deps.events.warning(pod, "FailedToRetrieveImagePullSecret", message);
    }
    return credentials;
  }
}

function failed(reason: string, message: string): Extract<ImageOutcome, { kind: "failed" }> {
  return { kind: "failed", failure: { reason, message }, retryAfterMs: undefined };
}

function heldBack({ image }: ImageRequest["container"], error: string): Extract<ImageOutcome, { kind: "failed" }> {
  return failed("ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${error}`);
}

/** Reports whether the API shows the image in back-off, from a previous kubelet. */
function saysHeldBack({ status }: BoundPod, containerName: string | undefined): boolean {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.some(({ name, state }) => name === containerName && state?.waiting?.reason === "ImagePullBackOff");
}

function backoffKey({ pod, container }: ImageRequest): string {
  return `${pod.metadata.uid}_${container.image}`;
}
