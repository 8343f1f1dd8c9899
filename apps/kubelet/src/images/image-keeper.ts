import type { Container } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type ContainerRuntime, type Image, type PodSandboxConfig, RuntimeError } from "@kintsugi/cri";
import type { PodEvents } from "../events/pod-events.ts";
import type { BoundPod } from "../pods/bound-pod.ts";
import type { StartFailure } from "../status/start-failures.ts";
import { defaultPullPolicy, parseImageName } from "./image-name.ts";
import { PullBackoff, type PullBackoffOptions } from "./pull-backoff.ts";
import { formatGoDuration } from "../text/go-duration.ts";

export interface ImageKeeperOptions extends PullBackoffOptions {
  /**
   * Images that are on the node are used as they are, also where the pull policy is Always: for nodes whose images are
   * imported and which have no registry. Images that are not there are pulled as ever. Default false.
   */
  localImages: boolean;
}

export interface ImageKeeperDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  events: PodEvents;
}

export interface ImageRequest {
  pod: BoundPod;
  container: Pick<Container, "name" | "image" | "imagePullPolicy">;
  sandboxConfig: PodSandboxConfig;
  auth: readonly NonNullable<Parameters<ContainerRuntime["pullImage"]>[1]>["auth"][];
}

export type ImageOutcome =
  | { kind: "present"; reference: string; image: Image | undefined }
  | { kind: "failed"; failure: StartFailure; retryAfterMs: number | undefined };

/** Sees to it that a container's image is on the node, as its pull policy says. */
export class ImageKeeper {
  readonly #deps: ImageKeeperDeps;
  readonly #options: ImageKeeperOptions;
  readonly #backoff: PullBackoff;

  constructor(deps: ImageKeeperDeps, options: ImageKeeperOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#backoff = new PullBackoff(deps, options);
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
    if (present.image && (policy !== "Always" || this.#options.localImages)) {
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
      const message = `Back-off pulling image "${container.image}": ErrImagePull: ${held.error}`;
      return { ...failed("ImagePullBackOff", message), retryAfterMs: held.remainingMs };
    }
    events.normal(pod, "Pulling", `Pulling image "${container.image}"`, container.name);
    const startedMs = clock.monotonicMs();
    try {
      const pulled = await this.#pullWithAny(reference, request, { sandboxConfig, signal });
      const took = formatGoDuration(clock.monotonicMs() - startedMs);
      const size = (await this.#deps.runtime.imageStatus(pulled, signal))?.sizeBytes ?? 0;
      const message = `Successfully pulled image "${container.image}" in ${took} (${took} including waiting). Image size: ${size} bytes.`;
      events.normal(pod, "Pulled", message, container.name);
      this.#backoff.succeeded(key);
      return pulled;
    } catch (error) {
      if (signal.aborted || !(error instanceof RuntimeError)) throw error;
      this.#backoff.failed(key, error.message);
      events.warning(pod, "Failed", `Failed to pull image "${container.image}": ${error.message}`, container.name);
      return { ...failed("ErrImagePull", error.message), retryAfterMs: this.#backoff.find(key)?.remainingMs };
    }
  }

  /** With each credential in turn, as upstream tries a keyring; without any, anonymously. */
  async #pullWithAny(
    reference: string,
    request: ImageRequest,
    { sandboxConfig, signal }: { sandboxConfig: PodSandboxConfig; signal: AbortSignal },
  ): Promise<string> {
    let last: Error = new RuntimeError("failed", `no credential to pull ${reference} with`);
    for (const auth of request.auth.length > 0 ? request.auth : [undefined]) {
      try {
        return await this.#deps.runtime.pullImage(reference, { sandboxConfig, ...(auth ? { auth } : {}) }, signal);
      } catch (error) {
        last = error as Error;
        if (signal.aborted) break;
      }
    }
    throw last;
  }
}

function failed(reason: string, message: string): Extract<ImageOutcome, { kind: "failed" }> {
  return { kind: "failed", failure: { reason, message }, retryAfterMs: undefined };
}

function backoffKey({ pod, container }: ImageRequest): string {
  return `${pod.metadata.uid}_${container.image}`;
}
