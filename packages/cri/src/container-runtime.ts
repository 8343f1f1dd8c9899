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
  /** Each returns the URL of a one-time stream on the runtime's streaming server. */
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
  /** The runtime applies `supplementalGroupsPolicy`; containerd does since 2.0. */
  obeysGroupsPolicy: boolean;
}

/** "Merge" adds the groups that the image defines for the user; it is the default. */
export type GroupsPolicy = "Merge" | "Strict";

export interface RuntimeHandler {
  /** "" is the default handler. */
  name: string;
  recursiveReadOnlyMounts: boolean;
  userNamespaces: boolean;
}

export interface PodMetadata {
  name: string;
  uid: string;
  namespace: string;
  attempt: number;
}

export interface PodSandboxConfig {
  metadata: PodMetadata;
  /**
   * Must be empty when the pod uses the node's network, because runtimes refuse to set the node's
   * name.
   */
  hostname: string;
  /** Absolute; container log paths are relative to it. */
  logDirectory: string;
  dns?: { servers: string[]; searches: string[]; options: string[] };
  portMappings: { protocol: "TCP" | "UDP" | "SCTP"; containerPort: number; hostPort: number; hostIp: string }[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  linux: {
    cgroupParent: string;
    sysctls: Record<string, string>;
    namespaces: NamespaceOptions;
    runAsUser?: number;
    runAsGroup?: number;
    supplementalGroups: number[];
    groupsPolicy: GroupsPolicy;
    readonlyRootfs: boolean;
    privileged: boolean;
    seccomp?: SecurityProfile;
    selinux?: SelinuxOptions;
  };
  runtimeHandler: string;
}

/**
 * "pod": shared by the pod's containers; "node": the node's own; "container": its own; "target":
 * another container's.
 */
export type NamespaceMode = "pod" | "container" | "node" | "target";

export interface NamespaceOptions {
  network: NamespaceMode;
  pid: NamespaceMode;
  ipc: NamespaceMode;
  /** The container whose PID namespace is joined, for mode "target". */
  targetId?: string;
}

export interface SecurityProfile {
  type: "RuntimeDefault" | "Unconfined" | "Localhost";
  localhostRef?: string;
}

export interface PodSandbox {
  id: string;
  metadata: PodMetadata;
  ready: boolean;
  createdAtMs: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface PodSandboxStatus extends PodSandbox {
  /** Empty for host network. */
  ip: string;
  additionalIps: string[];
  namespaces: NamespaceOptions;
}

export interface SandboxFilter {
  id?: string;
  ready?: boolean;
  labels?: Record<string, string>;
}

export interface CreateContainerRequest {
  sandboxId: string;
  config: ContainerConfig;
  sandboxConfig: PodSandboxConfig;
}

export interface ContainerConfig {
  metadata: { name: string; attempt: number };
  image: string;
  command: string[];
  args: string[];
  workingDir: string;
  envs: { key: string; value: string }[];
  mounts: Mount[];
  devices: { containerPath: string; hostPath: string; permissions: string }[];
  /** Names of devices of the Container Device Interface: "vendor.example.com/class=device". */
  cdiDevices: string[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Relative to the sandbox's log directory. */
  logPath: string;
  stdin: boolean;
  stdinOnce: boolean;
  tty: boolean;
  linux: { resources: LinuxContainerResources; security: ContainerSecurity };
}

export interface Mount {
  containerPath: string;
  hostPath: string;
  readonly: boolean;
  /**
   * Mounts below it are read-only too. Valid only with `readonly`, propagation "private" and a
   * handler that supports it.
   */
  recursiveReadOnly: boolean;
  propagation: "private" | "host-to-container" | "bidirectional";
  /**
   * The id of an image whose files are mounted instead of the host's. `hostPath` is then empty, and
   * `readonly` is set. Runtimes without the field ignore it: see `imageMountsOf`.
   */
  image?: string;
  /** The subpath of the image's files to mount. */
  imageSubPath?: string;
}

export interface LinuxContainerResources {
  cpuPeriod: number;
  cpuQuota: number;
  cpuShares: number;
  memoryLimitBytes: number;
  oomScoreAdj: number;
  cpusetCpus?: string;
  cpusetMems?: string;
  hugepageLimits?: { pageSize: string; limitBytes: number }[];
  /** cgroup v2 keys. */
  unified?: Record<string, string>;
}

export interface ContainerSecurity {
  addCapabilities: string[];
  dropCapabilities: string[];
  privileged: boolean;
  namespaces: NamespaceOptions;
  runAsUser?: number;
  runAsUsername?: string;
  runAsGroup?: number;
  readonlyRootfs: boolean;
  supplementalGroups: number[];
  groupsPolicy: GroupsPolicy;
  noNewPrivileges: boolean;
  maskedPaths: string[];
  readonlyPaths: string[];
  seccomp?: SecurityProfile;
  selinux?: SelinuxOptions;
  apparmorProfile?: string;
}

/** An SELinux label; the runtime chooses an empty part. A host without SELinux ignores it. */
export interface SelinuxOptions {
  user: string;
  role: string;
  type: string;
  level: string;
}

export type ContainerState = "created" | "running" | "exited" | "unknown";

export interface Container {
  id: string;
  sandboxId: string;
  metadata: { name: string; attempt: number };
  image: string;
  imageRef: string;
  state: ContainerState;
  createdAtMs: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface ContainerStatus extends Omit<Container, "sandboxId"> {
  startedAtMs: number;
  finishedAtMs: number;
  exitCode: number;
  /** The runtime's reason: "Completed", "Error", "OOMKilled". */
  reason: string;
  message: string;
  /** Absolute. */
  logPath: string;
  mounts: Mount[];
  /** The user and groups of the first process; containerd reports them since 2.0. */
  user?: ProcessUser;
}

export interface ProcessUser {
  uid: number;
  gid: number;
  supplementalGroups: number[];
}

export interface ContainerFilter {
  id?: string;
  sandboxId?: string;
  state?: ContainerState;
  labels?: Record<string, string>;
}

export interface ExecSyncResult {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}

export interface ExecRequest {
  containerId: string;
  command: string[];
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

export type AttachRequest = Omit<ExecRequest, "command">;

export interface Image {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  sizeBytes: number;
  /** The numeric user or the name in the image's configuration. */
  uid?: number;
  username: string;
  pinned: boolean;
}

export interface PullOptions {
  auth?: { username: string; password: string; serverAddress?: string; identityToken?: string; registryToken?: string };
  sandboxConfig?: PodSandboxConfig;
}

export interface FilesystemUsage {
  timestampMs: number;
  mountpoint: string;
  usedBytes: number;
  inodesUsed: number;
}

/** The usage of a running container. A value that the runtime does not report is absent. */
export interface ProcessorAndMemoryUsage {
  timestampMs: number;
  /** The processor time since the start. */
  cpuUsageNanoseconds: number;
  /** The memory in use, without the memory that the kernel can reclaim immediately. */
  memoryWorkingSetBytes: number;
  memoryUsageBytes?: number;
  memoryRssBytes?: number;
  pageFaults?: number;
  majorPageFaults?: number;
}

export interface ContainerStats extends ProcessorAndMemoryUsage {
  containerId: string;
  name: string;
  labels: Record<string, string>;
  /** The bytes at the runtime's last measurement: containerd measures every 10 s. */
  writableLayerBytes: number;
  writableLayerInodes: number;
}

export interface PodSandboxStats extends ProcessorAndMemoryUsage {
  sandboxId: string;
  metadata: PodMetadata;
  labels: Record<string, string>;
  /** Absent for host network. */
  network?: NetworkUsage;
  processCount: number;
}

export interface NetworkUsage {
  timestampMs: number;
  default?: InterfaceUsage;
  /** The pod's other addresses. */
  interfaces: InterfaceUsage[];
}

export interface InterfaceUsage {
  name: string;
  rxBytes: number;
  rxErrors: number;
  txBytes: number;
  txErrors: number;
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
