import type { Semaphore } from "@kintsugi/clock";
import { type ContainerRuntime, type PodSandboxConfig, RuntimeError } from "@kintsugi/cri";
import type { RuntimeClasses } from "../../containers/config/runtime-classes.ts";
import { sandboxConfig, type SandboxLife, sandboxRefusal } from "../../containers/config/sandbox-config.ts";
import type { SandboxDns } from "../../containers/config/sandbox-dns.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { podRestartsOf } from "../../model/escalation.ts";
import type { NodeContext } from "../../model/node-context.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import { podIpsOf } from "../../model/pod-ips.ts";
import type { PodPart, SyncedPod } from "../parts/pod-part.ts";
import { sandboxVerdict } from "../plan/sandbox-verdict.ts";

export interface SandboxStarterDeps {
  runtime: ContainerRuntime;
  events: PodEvents;
  parts: readonly PodPart[];
  dns: Pick<SandboxDns, "of">;
  runtimeClasses: Pick<RuntimeClasses, "handlerOf">;
  /** Shared with the starts of containers. */
  starts: Semaphore;
}

interface SandboxStart {
  readonly life: SandboxLife;
  /** The pod's directories, while they are being created. */
  readonly directories: Promise<unknown> | undefined;
  readonly onStart: () => void;
}

/** A sandbox in which containers can start. */
export interface UsableSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly ips: readonly string[];
}

/** Creates and starts the sandbox of a pod (kuberuntime_sandbox.go createPodSandbox). */
export class SandboxStarter {
  readonly #deps: SandboxStarterDeps;
  readonly #node: NodeContext;

  constructor(deps: SandboxStarterDeps, node: NodeContext) {
    this.#deps = deps;
    this.#node = node;
  }

  /** Returns the pod's sandbox, if it is still usable. */
  find({ pod, observed }: SyncedPod): UsableSandbox | undefined {
    const verdict = sandboxVerdict(pod, observed);
    const sandbox = observed.sandboxes[0];
    if (verdict.kind !== "use" || !sandbox) return undefined;
    const { attempt } = sandbox.metadata;
    const config = sandboxConfig(pod, { attempt, podRestarts: podRestartsOf(sandbox.annotations) }, this.#node);
    return { id: sandbox.id, config, ips: podIpsOf(pod, sandbox, this.#node.nodeIps) };
  }

  /**
   * Resolves with undefined where a part delays the pod.
   * @param onStart is called when the runtime is requested to create the sandbox.
   */
  async start(
    pod: BoundPod,
    { life, directories, onStart }: SandboxStart,
    signal: AbortSignal,
  ): Promise<UsableSandbox | undefined> {
    const { runtime, runtimeClasses, starts, events, parts } = this.#deps;
    for (const part of parts) if (part.reserve && !(await part.reserve(pod, signal))) return undefined;
    const prepared = parts.map((part) => part.beforeSandbox?.(pod));
    const [dns] = await Promise.all([this.#deps.dns.of(pod), ...prepared, directories]);
    try {
      const runtimeHandler = pod.spec.runtimeClassName ? await runtimeClasses.handlerOf(pod) : "";
      const config = { ...sandboxConfig(pod, life, this.#node), ...(dns ? { dns } : {}), runtimeHandler };
      const refusal = sandboxRefusal(pod, this.#node);
      if (refusal !== undefined) throw new RuntimeError("invalid", refusal);
      const id = await starts.run(() => {
        onStart();
        return runtime.runPodSandbox(config, signal);
      });
      const status = await runtime.podSandboxStatus(id, signal);
      return { id, config, ips: podIpsOf(pod, status, this.#node.nodeIps) };
    } catch (error) {
      if (!signal.aborted && error instanceof RuntimeError)
        events.warning(pod, "FailedCreatePodSandBox", `Failed to create pod sandbox: ${error.message}`);
      throw error;
    }
  }
}
