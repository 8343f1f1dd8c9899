import type { Semaphore } from "@kintsugi/clock";
import type { Logger } from "@kintsugi/api";
import { type ContainerRuntime, type PodSandboxConfig, RuntimeError } from "@kintsugi/cri";
import { containerConfig } from "../../containers/config/container-config.ts";
import type { ContainerPreparer, PrepareRequest } from "../../containers/config/container-preparer.ts";
import { rootRefusal } from "../../containers/config/container-security.ts";
import { ContainerConfigError } from "../../containers/environment/config-error.ts";
import type { ImageOutcome } from "../../containers/images/image-keeper.ts";
import { ImageVolumeError } from "../../containers/images/image-volumes.ts";
import { VolumeError } from "../../containers/volumes/volume-error.ts";
import { initContainersOf } from "../../model/bound-pod.ts";
import type { NodeContext } from "../../model/node-context.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { StartFailure } from "../../model/start-failure.ts";
import type { StartStep } from "../plan/steps.ts";
import type { Hooks } from "../probes/hooks.ts";

export interface ContainerStarterDeps {
  runtime: ContainerRuntime;
  events: PodEvents;
  log: Logger;
  /**
   * Shared by all pods, because with more than a few at a time the runtime gets slower instead of
   * faster.
   */
  starts: Semaphore;
  preparer: Pick<ContainerPreparer, "prepare">;
  hooks: Pick<Hooks, "postStart">;
}

export interface StartRequest extends PrepareRequest {
  step: StartStep;
  sandboxId: string;
  sandboxConfig: PodSandboxConfig;
}

export type StartOutcome =
  | { kind: "started"; containerId: string }
  | { kind: "failed"; failure: StartFailure; retryAfterMs?: number | undefined }
  /** Started, but its postStart hook failed: it has to be killed. */
  | { kind: "hook-failed"; containerId: string; failure: StartFailure };

/** Creates and starts one container (kuberuntime_container.go startContainer). */
export class ContainerStarter {
  readonly #deps: ContainerStarterDeps;
  readonly #node: NodeContext;

  constructor(deps: ContainerStarterDeps, node: NodeContext) {
    this.#deps = deps;
    this.#node = node;
  }

  async start(request: StartRequest, pulled: ImageOutcome, signal: AbortSignal): Promise<StartOutcome> {
    if (pulled.kind === "failed") {
      this.#refuse(request, pulled.failure.reason);
      return { kind: "failed", failure: pulled.failure, retryAfterMs: pulled.retryAfterMs };
    }
    const created = await this.#create(request, pulled, signal);
    if (created.kind !== "created") return created;
    const { containerId } = created;
    try {
      await this.#deps.starts.run(() => this.#deps.runtime.startContainer(containerId, signal));
    } catch (error) {
      // The runtime retains the container as exited, so the next try is a restart, and delayed like
      // a restart.
      return { ...this.#failed(request, "RunContainerError", error), retryAfterMs: 0 };
    }
    this.#deps.events.normal(
      request.pod,
      "Started",
      `Started container ${request.step.container.name}`,
      request.step.container.name,
    );
    const hookError = await this.#deps.hooks.postStart(
      { pod: request.pod, container: request.step.container, containerId, podIps: request.podIps },
      signal,
    );
    if (hookError === undefined) return { kind: "started", containerId };
    this.#deps.events.warning(request.pod, "FailedPostStartHook", "PostStartHook failed", request.step.container.name);
    return { kind: "hook-failed", containerId, failure: { reason: "PostStartHookError", message: hookError } };
  }

  async #create(
    request: StartRequest,
    pulled: Extract<ImageOutcome, { kind: "present" }>,
    signal: AbortSignal,
  ): Promise<{ kind: "created"; containerId: string } | Extract<StartOutcome, { kind: "failed" }>> {
    const { pod, step, sandboxId, sandboxConfig } = request;
    const { container, attempt, carryMs, streak, generation } = step;
    try {
      const refusal = rootRefusal({ pod, container, image: pulled.image });
      if (refusal !== undefined) throw new ContainerConfigError(refusal);
      const prepared = await this.#deps.preparer.prepare(request);
      const config = containerConfig({
        pod,
        container,
        attempt,
        carryMs,
        streak,
        generation,
        imageReference: pulled.reference,
        image: pulled.image,
        node: this.#node,
        ...prepared,
      });
      const containerId = await this.#deps.starts.run(() =>
        this.#deps.runtime.createContainer({ sandboxId, config, sandboxConfig }, signal),
      );
      this.#deps.events.normal(pod, "Created", `Created container: ${container.name}`, container.name);
      return { kind: "created", containerId };
    } catch (error) {
      if (error instanceof ImageVolumeError) return this.#withoutImageVolume(request, error);
      if (error instanceof VolumeError) return this.#withoutVolume(request, error);
      if (error instanceof ContainerConfigError) return this.#failed(request, "CreateContainerConfigError", error);
      return this.#failed(request, "CreateContainerError", error);
    }
  }

  /**
   * The container is still being created, as in upstream's `startContainer`; the event has the
   * fault.
   */
  #withoutVolume({ pod }: StartRequest, error: VolumeError): Extract<StartOutcome, { kind: "failed" }> {
    this.#deps.events.warning(pod, "FailedMount", error.message);
    const reason = initContainersOf(pod).length > 0 ? "PodInitializing" : "ContainerCreating";
    return { kind: "failed", failure: { reason, message: error.message } };
  }

  /**
   * The failure is reported like a failure of the container's own image
   * (toKubeContainerImageVolumes).
   */
  #withoutImageVolume(
    request: StartRequest,
    { failure, retryAfterMs }: ImageVolumeError,
  ): Extract<StartOutcome, { kind: "failed" }> {
    this.#refuse(request, failure.reason);
    return { kind: "failed", failure, retryAfterMs };
  }

  /** @throws an error that is not a rejection: an abort, or a fault of the program. */
  #failed(request: StartRequest, reason: string, error: unknown): Extract<StartOutcome, { kind: "failed" }> {
    const isRefusal =
      error instanceof ContainerConfigError || (error instanceof RuntimeError && error.reason !== "cancelled");
    if (!isRefusal) throw error;
    this.#refuse(request, error.message);
    this.#deps.log.warn("container not started", {
      pod: `${request.pod.metadata.namespace}/${request.pod.metadata.name}`,
      container: request.step.container.name,
      reason,
      because: error.message,
    });
    return { kind: "failed", failure: { reason, message: error.message } };
  }

  #refuse({ pod, step }: StartRequest, message: string): void {
    this.#deps.events.warning(pod, "Failed", `Error: ${message}`, step.container.name);
  }
}
