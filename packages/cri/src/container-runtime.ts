import type {
  CreateContainerRequest,
  LinuxContainerResources,
  Container,
  ContainerStatus,
  ContainerFilter,
  ExecSyncResult,
  ExecRequest,
  AttachRequest,
} from "./messages/container.ts";
import type { Image, PullOptions } from "./messages/image.ts";
import type { PodSandboxConfig, PodSandbox, PodSandboxStatus, SandboxFilter } from "./messages/sandbox.ts";
import type { FilesystemUsage, ContainerStats, PodSandboxStats } from "./messages/usage.ts";

/**
 * The calls of a container runtime that a kubelet makes: CRI v1 (cri-api/pkg/apis/runtime/v1) with
 * plain types. Times are milliseconds of wall time unless a name has another unit; 0 represents
 * "not yet". Every call that CRI declares idempotent is idempotent (stop, remove). Every call has a
 * deadline through its signal or the adapter's default, and throws `RuntimeError` when the runtime
 * rejects it.
 */
export interface ContainerRuntime {
  version(signal?: AbortSignal): Promise<RuntimeVersion>;
  status(signal?: AbortSignal): Promise<RuntimeStatus>;
  updatePodCidr(podCidr: string, signal?: AbortSignal): Promise<void>;
  /** Reports whether the runtime applies a container's `cdiDevices`. Other runtimes ignore them. */
  appliesCdi(signal?: AbortSignal): Promise<boolean>;

  /** Creates and starts a sandbox (network included). Returns its id. */
  runPodSandbox(config: PodSandboxConfig, signal?: AbortSignal): Promise<string>;
  /**
   * Stops every container in the sandbox and releases its network. Succeeds if the sandbox is
   * already stopped or removed.
   */
  stopPodSandbox(sandboxId: string, signal?: AbortSignal): Promise<void>;
  removePodSandbox(sandboxId: string, signal?: AbortSignal): Promise<void>;
  /** @throws RuntimeError notFound. */
  podSandboxStatus(sandboxId: string, signal?: AbortSignal): Promise<PodSandboxStatus>;
  listPodSandboxes(filter?: SandboxFilter, signal?: AbortSignal): Promise<PodSandbox[]>;

  createContainer(request: CreateContainerRequest, signal?: AbortSignal): Promise<string>;
  startContainer(containerId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Sends the stop signal, waits up to `timeoutSeconds`, then kills. Succeeds if the container is
   * already stopped or removed.
   */
  stopContainer(containerId: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  removeContainer(containerId: string, signal?: AbortSignal): Promise<void>;
  /** @throws RuntimeError notFound. */
  containerStatus(containerId: string, signal?: AbortSignal): Promise<ContainerStatus>;
  listContainers(filter?: ContainerFilter, signal?: AbortSignal): Promise<Container[]>;
  updateContainerResources(
    containerId: string,
    resources: LinuxContainerResources,
    signal?: AbortSignal,
  ): Promise<void>;
  reopenContainerLog(containerId: string, signal?: AbortSignal): Promise<void>;
  execSync(
    containerId: string,
    command: readonly string[],
    timeoutSeconds: number,
    signal?: AbortSignal,
  ): Promise<ExecSyncResult>;
  /** Each of these calls returns the URL of a one-time stream on the runtime's streaming server. */
  exec(request: ExecRequest, signal?: AbortSignal): Promise<string>;
  attach(request: AttachRequest, signal?: AbortSignal): Promise<string>;
  portForward(sandboxId: string, ports: readonly number[], signal?: AbortSignal): Promise<string>;

  listImages(signal?: AbortSignal): Promise<Image[]>;
  imageStatus(reference: string, signal?: AbortSignal): Promise<Image | undefined>;
  /** Returns the reference of the image that was pulled (its digest or id). */
  pullImage(reference: string, options?: PullOptions, signal?: AbortSignal): Promise<string>;
  removeImage(reference: string, signal?: AbortSignal): Promise<void>;
  imageFsInfo(signal?: AbortSignal): Promise<FilesystemUsage[]>;

  /** Lists the usage of running containers. */
  listContainerStats(filter?: ContainerFilter, signal?: AbortSignal): Promise<ContainerStats[]>;
  /**
   * Lists the usage of ready sandboxes, including their containers.
   * @throws RuntimeError unimplemented if the runtime is too old.
   */
  listPodSandboxStats(filter?: Omit<SandboxFilter, "ready">, signal?: AbortSignal): Promise<PodSandboxStats[]>;
  /**
   * Starts, exits, OOM kills and removals as they happen, until the signal aborts. The first item
   * is always `connected`. Ends (returns) when the runtime closes the stream; the caller relists
   * and subscribes again.
   */
  events(signal: AbortSignal): AsyncIterable<RuntimeEvent>;
  close(): void;
}

export interface RuntimeVersion {
  runtimeName: string;
  runtimeVersion: string;
  runtimeApiVersion: string;
}

export interface RuntimeStatus {
  /** "RuntimeReady", "NetworkReady". */
  conditions: { type: string; status: boolean; reason: string; message: string }[];
  /**
   * The handlers that can run containers; empty if the runtime is too old to report them
   * (containerd before 2.0).
   */
  handlers: RuntimeHandler[];
  /** The runtime applies `supplementalGroupsPolicy`, as containerd has done since 2.0. */
  obeysGroupsPolicy: boolean;
}

export interface RuntimeHandler {
  /** "" is the default handler. */
  name: string;
  recursiveReadOnlyMounts: boolean;
  userNamespaces: boolean;
}

export type RuntimeEvent =
  | { type: "connected" }
  | { type: "created" | "started" | "stopped" | "deleted"; containerId: string; atMs: number; exitCode?: number }
  | { type: "oom"; containerId: string; atMs: number };

/** The runtime rejected the call or could not be reached. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly reason: RuntimeErrorReason;

  constructor(reason: RuntimeErrorReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

export type RuntimeErrorReason =
  | "notFound"
  | "alreadyExists"
  | "invalid"
  | "unavailable"
  | "deadlineExceeded"
  | "cancelled"
  | "unimplemented"
  /** The runtime rejected the call for another reason; its text is the message. */
  | "failed";
