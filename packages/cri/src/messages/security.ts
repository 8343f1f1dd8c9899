/** "Merge" adds the groups that the image defines for the user; it is the default. */
export type GroupsPolicy = "Merge" | "Strict";

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

/** An SELinux label; the runtime chooses an empty part. A host without SELinux ignores it. */
export interface SelinuxOptions {
  user: string;
  role: string;
  type: string;
  level: string;
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
