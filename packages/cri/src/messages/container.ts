import type { PodSandboxConfig } from "./sandbox.ts";
import type { ContainerSecurity } from "./security.ts";

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
   * Mounts below the mount are also read-only. Valid only with `readonly`, propagation "private"
   * and a handler that supports such mounts.
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
