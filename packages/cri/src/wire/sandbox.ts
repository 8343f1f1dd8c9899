import type { GroupsPolicy, SelinuxOptions } from "../messages/security.ts";
import type {
  PodMetadata,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxStatus,
  SandboxFilter,
} from "../messages/sandbox.ts";
import {
  msFromNanoseconds,
  nanosecondsFromMs,
  optional,
  optionalInteger,
  optionalText,
  type WireInteger,
  wireInteger,
} from "./scalars.ts";
import {
  namespacesFromWire,
  profileFromWire,
  type WireNamespaceOption,
  wireNamespaces,
  wireProfile,
  type WireSecurityProfile,
} from "./security.ts";

export interface WirePodSandboxConfig {
  metadata: PodMetadata | null;
  hostname: string;
  logDirectory: string;
  dnsConfig: { servers: string[]; searches: string[]; options: string[] } | null;
  portMappings: PodSandboxConfig["portMappings"];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  linux: {
    cgroupParent: string;
    securityContext: {
      namespaceOptions: WireNamespaceOption | null;
      selinuxOptions: SelinuxOptions | null;
      runAsUser: WireInteger;
      readonlyRootfs: boolean;
      supplementalGroups: string[];
      privileged: boolean;
      runAsGroup: WireInteger;
      seccomp: WireSecurityProfile | null;
      supplementalGroupsPolicy: GroupsPolicy;
    } | null;
    sysctls: Record<string, string>;
  } | null;
}

type WireSandboxState = "SANDBOX_READY" | "SANDBOX_NOTREADY";

export interface WirePodSandbox {
  id: string;
  metadata: PodMetadata | null;
  state: WireSandboxState;
  createdAt: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface WirePodSandboxStatus extends WirePodSandbox {
  network: { ip: string; additionalIps: { ip: string }[] } | null;
  linux: { namespaces: { options: WireNamespaceOption | null } | null } | null;
}

export interface WireSandboxFilter {
  id: string;
  state: { state: WireSandboxState } | null;
  labelSelector: Record<string, string>;
}

export const noMetadata: PodMetadata = { name: "", uid: "", namespace: "", attempt: 0 };

export function wireSandboxConfig(config: PodSandboxConfig): WirePodSandboxConfig {
  const { linux } = config;
  return {
    metadata: config.metadata,
    hostname: config.hostname,
    logDirectory: config.logDirectory,
    dnsConfig: config.dns ?? null,
    portMappings: config.portMappings,
    labels: config.labels,
    annotations: config.annotations,
    linux: {
      cgroupParent: linux.cgroupParent,
      securityContext: {
        namespaceOptions: wireNamespaces(linux.namespaces),
        selinuxOptions: linux.selinux ?? null,
        runAsUser: wireInteger(linux.runAsUser),
        readonlyRootfs: linux.readonlyRootfs,
        supplementalGroups: linux.supplementalGroups.map(String),
        privileged: linux.privileged,
        runAsGroup: wireInteger(linux.runAsGroup),
        seccomp: wireProfile(linux.seccomp),
        supplementalGroupsPolicy: linux.groupsPolicy,
      },
      sysctls: linux.sysctls,
    },
  };
}

export function sandboxConfigFromWire(wire: WirePodSandboxConfig, runtimeHandler: string): PodSandboxConfig {
  const security = wire.linux?.securityContext;
  return {
    metadata: wire.metadata ?? noMetadata,
    hostname: wire.hostname,
    logDirectory: wire.logDirectory,
    ...optional("dns", wire.dnsConfig),
    portMappings: wire.portMappings,
    labels: wire.labels,
    annotations: wire.annotations,
    linux: {
      cgroupParent: wire.linux?.cgroupParent ?? "",
      sysctls: wire.linux?.sysctls ?? {},
      namespaces: namespacesFromWire(security?.namespaceOptions),
      ...optionalInteger("runAsUser", security?.runAsUser),
      ...optionalInteger("runAsGroup", security?.runAsGroup),
      supplementalGroups: (security?.supplementalGroups ?? []).map(Number),
      groupsPolicy: security?.supplementalGroupsPolicy ?? "Merge",
      readonlyRootfs: security?.readonlyRootfs ?? false,
      privileged: security?.privileged ?? false,
      ...optional("seccomp", profileFromWire(security?.seccomp ?? null)),
      ...optional("selinux", security?.selinuxOptions),
    },
    runtimeHandler,
  };
}

export function wireSandbox(sandbox: PodSandbox): WirePodSandbox {
  return {
    id: sandbox.id,
    metadata: sandbox.metadata,
    state: wireState(sandbox.ready),
    createdAt: nanosecondsFromMs(sandbox.createdAtMs),
    labels: sandbox.labels,
    annotations: sandbox.annotations,
  };
}

export function sandboxFromWire(wire: WirePodSandbox): PodSandbox {
  return {
    id: wire.id,
    metadata: wire.metadata ?? noMetadata,
    ready: wire.state === "SANDBOX_READY",
    createdAtMs: msFromNanoseconds(wire.createdAt),
    labels: wire.labels,
    annotations: wire.annotations,
  };
}

export function wireSandboxStatus(status: PodSandboxStatus): WirePodSandboxStatus {
  return {
    ...wireSandbox(status),
    network: { ip: status.ip, additionalIps: status.additionalIps.map((ip) => ({ ip })) },
    linux: { namespaces: { options: wireNamespaces(status.namespaces) } },
  };
}

export function sandboxStatusFromWire(wire: WirePodSandboxStatus): PodSandboxStatus {
  return {
    ...sandboxFromWire(wire),
    ip: wire.network?.ip ?? "",
    additionalIps: (wire.network?.additionalIps ?? []).map(({ ip }) => ip),
    namespaces: namespacesFromWire(wire.linux?.namespaces?.options),
  };
}

export function wireSandboxFilter(filter: SandboxFilter): WireSandboxFilter {
  return {
    id: filter.id ?? "",
    state: filter.ready === undefined ? null : { state: wireState(filter.ready) },
    labelSelector: filter.labels ?? {},
  };
}

export function sandboxFilterFromWire(wire: Partial<WireSandboxFilter> | null): SandboxFilter {
  if (!wire) return {};
  return {
    ...optionalText("id", wire.id ?? ""),
    ...optional("ready", wire.state ? wire.state.state === "SANDBOX_READY" : undefined),
    labels: wire.labelSelector ?? {},
  };
}

function wireState(ready: boolean): WireSandboxState {
  return ready ? "SANDBOX_READY" : "SANDBOX_NOTREADY";
}
