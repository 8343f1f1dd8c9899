import type { GroupsPolicy, NamespaceOptions, SecurityProfile, SelinuxOptions } from "./security.ts";

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
