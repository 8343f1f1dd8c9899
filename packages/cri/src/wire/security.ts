import type {
  ContainerSecurity,
  GroupsPolicy,
  NamespaceMode,
  NamespaceOptions,
  SecurityProfile,
  SelinuxOptions,
} from "../messages/security.ts";
import { optional, optionalInteger, optionalText, type WireInteger, wireInteger } from "./scalars.ts";

type WireNamespaceMode = "POD" | "CONTAINER" | "NODE" | "TARGET";

export interface WireNamespaceOption {
  network: WireNamespaceMode;
  pid: WireNamespaceMode;
  ipc: WireNamespaceMode;
  targetId: string;
}

export interface WireSecurityProfile {
  profileType: SecurityProfile["type"];
  localhostRef: string;
}

export interface WireContainerSecurity {
  capabilities: { addCapabilities: string[]; dropCapabilities: string[] } | null;
  privileged: boolean;
  namespaceOptions: WireNamespaceOption | null;
  selinuxOptions: SelinuxOptions | null;
  runAsUser: WireInteger;
  runAsUsername: string;
  readonlyRootfs: boolean;
  supplementalGroups: string[];
  apparmorProfile: string;
  noNewPrivs: boolean;
  runAsGroup: WireInteger;
  maskedPaths: string[];
  readonlyPaths: string[];
  seccomp: WireSecurityProfile | null;
  supplementalGroupsPolicy: GroupsPolicy;
}

const wireMode: Record<NamespaceMode, WireNamespaceMode> = {
  pod: "POD",
  container: "CONTAINER",
  node: "NODE",
  target: "TARGET",
};
const modeOfWire: Record<WireNamespaceMode, NamespaceMode> = {
  POD: "pod",
  CONTAINER: "container",
  NODE: "node",
  TARGET: "target",
};

export function wireNamespaces(options: NamespaceOptions): WireNamespaceOption {
  return {
    network: wireMode[options.network],
    pid: wireMode[options.pid],
    ipc: wireMode[options.ipc],
    targetId: options.targetId ?? "",
  };
}

export function namespacesFromWire(wire: WireNamespaceOption | null | undefined): NamespaceOptions {
  if (!wire) return { network: "pod", pid: "pod", ipc: "pod" };
  return {
    network: modeOfWire[wire.network],
    pid: modeOfWire[wire.pid],
    ipc: modeOfWire[wire.ipc],
    ...optionalText("targetId", wire.targetId),
  };
}

export function wireProfile(profile: SecurityProfile | undefined): WireSecurityProfile | null {
  return profile ? { profileType: profile.type, localhostRef: profile.localhostRef ?? "" } : null;
}

export function profileFromWire(wire: WireSecurityProfile | null): SecurityProfile | undefined {
  return wire ? { type: wire.profileType, ...optionalText("localhostRef", wire.localhostRef) } : undefined;
}

/**
 * The deprecated text form of an AppArmor profile is sent, because every version of containerd
 * reads it.
 */
export function wireContainerSecurity(security: ContainerSecurity): WireContainerSecurity {
  return {
    capabilities: { addCapabilities: security.addCapabilities, dropCapabilities: security.dropCapabilities },
    privileged: security.privileged,
    namespaceOptions: wireNamespaces(security.namespaces),
    selinuxOptions: security.selinux ?? null,
    runAsUser: wireInteger(security.runAsUser),
    runAsUsername: security.runAsUsername ?? "",
    readonlyRootfs: security.readonlyRootfs,
    supplementalGroups: security.supplementalGroups.map(String),
    apparmorProfile: security.apparmorProfile ?? "",
    noNewPrivs: security.noNewPrivileges,
    runAsGroup: wireInteger(security.runAsGroup),
    maskedPaths: security.maskedPaths,
    readonlyPaths: security.readonlyPaths,
    seccomp: wireProfile(security.seccomp),
    supplementalGroupsPolicy: security.groupsPolicy,
  };
}

export function containerSecurityFromWire(wire: WireContainerSecurity | null | undefined): ContainerSecurity {
  return {
    addCapabilities: wire?.capabilities?.addCapabilities ?? [],
    dropCapabilities: wire?.capabilities?.dropCapabilities ?? [],
    privileged: wire?.privileged ?? false,
    namespaces: namespacesFromWire(wire?.namespaceOptions),
    ...optionalInteger("runAsUser", wire?.runAsUser),
    ...optionalText("runAsUsername", wire?.runAsUsername ?? ""),
    ...optionalInteger("runAsGroup", wire?.runAsGroup),
    readonlyRootfs: wire?.readonlyRootfs ?? false,
    supplementalGroups: (wire?.supplementalGroups ?? []).map(Number),
    groupsPolicy: wire?.supplementalGroupsPolicy ?? "Merge",
    noNewPrivileges: wire?.noNewPrivs ?? false,
    maskedPaths: wire?.maskedPaths ?? [],
    readonlyPaths: wire?.readonlyPaths ?? [],
    ...optional("seccomp", profileFromWire(wire?.seccomp ?? null)),
    ...optional("selinux", wire?.selinuxOptions),
    ...optionalText("apparmorProfile", wire?.apparmorProfile ?? ""),
  };
}
