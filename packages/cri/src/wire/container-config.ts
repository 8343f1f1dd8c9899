import type { ContainerConfig, LinuxContainerResources, Mount } from "../messages/container.ts";
import { optionalText } from "./scalars.ts";
import { containerSecurityFromWire, type WireContainerSecurity, wireContainerSecurity } from "./security.ts";

type WirePropagation = "PROPAGATION_PRIVATE" | "PROPAGATION_HOST_TO_CONTAINER" | "PROPAGATION_BIDIRECTIONAL";

export interface WireMount {
  containerPath: string;
  hostPath: string;
  readonly: boolean;
  recursiveReadOnly: boolean;
  propagation: WirePropagation;
  image: { image: string } | null;
  imageSubPath: string;
}

export interface WireResources {
  cpuPeriod: string;
  cpuQuota: string;
  cpuShares: string;
  memoryLimitInBytes: string;
  oomScoreAdj: string;
  cpusetCpus: string;
  cpusetMems: string;
  hugepageLimits: { pageSize: string; limit: string }[];
  unified: Record<string, string>;
}

export interface WireContainerConfig {
  metadata: { name: string; attempt: number } | null;
  image: { image: string } | null;
  command: string[];
  args: string[];
  workingDir: string;
  envs: { key: string; value: string }[];
  mounts: WireMount[];
  devices: ContainerConfig["devices"];
  cdiDevices: { name: string }[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  logPath: string;
  stdin: boolean;
  stdinOnce: boolean;
  tty: boolean;
  linux: { resources: WireResources | null; securityContext: WireContainerSecurity | null } | null;
}

const wirePropagation: Record<Mount["propagation"], WirePropagation> = {
  private: "PROPAGATION_PRIVATE",
  "host-to-container": "PROPAGATION_HOST_TO_CONTAINER",
  bidirectional: "PROPAGATION_BIDIRECTIONAL",
};
const propagationOfWire: Record<WirePropagation, Mount["propagation"]> = {
  PROPAGATION_PRIVATE: "private",
  PROPAGATION_HOST_TO_CONTAINER: "host-to-container",
  PROPAGATION_BIDIRECTIONAL: "bidirectional",
};

export function wireContainerConfig(config: ContainerConfig): WireContainerConfig {
  return {
    metadata: config.metadata,
    image: { image: config.image },
    command: config.command,
    args: config.args,
    workingDir: config.workingDir,
    envs: config.envs,
    mounts: config.mounts.map(wireMount),
    devices: config.devices,
    cdiDevices: config.cdiDevices.map((name) => ({ name })),
    labels: config.labels,
    annotations: config.annotations,
    logPath: config.logPath,
    stdin: config.stdin,
    stdinOnce: config.stdinOnce,
    tty: config.tty,
    linux: {
      resources: wireResources(config.linux.resources),
      securityContext: wireContainerSecurity(config.linux.security),
    },
  };
}

export function containerConfigFromWire(wire: WireContainerConfig): ContainerConfig {
  return {
    metadata: wire.metadata ?? { name: "", attempt: 0 },
    image: wire.image?.image ?? "",
    command: wire.command,
    args: wire.args,
    workingDir: wire.workingDir,
    envs: wire.envs,
    mounts: wire.mounts.map(mountFromWire),
    devices: wire.devices,
    cdiDevices: wire.cdiDevices.map(({ name }) => name),
    labels: wire.labels,
    annotations: wire.annotations,
    logPath: wire.logPath,
    stdin: wire.stdin,
    stdinOnce: wire.stdinOnce,
    tty: wire.tty,
    linux: {
      resources: resourcesFromWire(wire.linux?.resources),
      security: containerSecurityFromWire(wire.linux?.securityContext),
    },
  };
}

export function wireMount(mount: Mount): WireMount {
  const { image, imageSubPath = "" } = mount;
  return {
    ...mount,
    propagation: wirePropagation[mount.propagation],
    image: image === undefined ? null : { image },
    imageSubPath,
  };
}

export function mountFromWire({ image, imageSubPath, ...wire }: WireMount): Mount {
  return {
    ...wire,
    propagation: propagationOfWire[wire.propagation],
    ...optionalText("image", image?.image ?? ""),
    ...optionalText("imageSubPath", imageSubPath),
  };
}

export function wireResources(resources: LinuxContainerResources): WireResources {
  return {
    cpuPeriod: String(resources.cpuPeriod),
    cpuQuota: String(resources.cpuQuota),
    cpuShares: String(resources.cpuShares),
    memoryLimitInBytes: String(resources.memoryLimitBytes),
    oomScoreAdj: String(resources.oomScoreAdj),
    cpusetCpus: resources.cpusetCpus ?? "",
    cpusetMems: resources.cpusetMems ?? "",
    hugepageLimits: (resources.hugepageLimits ?? []).map(({ pageSize, limitBytes }) => ({
      pageSize,
      limit: String(limitBytes),
    })),
    unified: resources.unified ?? {},
  };
}

export function resourcesFromWire(wire: WireResources | null | undefined): LinuxContainerResources {
  if (!wire) return { cpuPeriod: 0, cpuQuota: 0, cpuShares: 0, memoryLimitBytes: 0, oomScoreAdj: 0 };
  return {
    cpuPeriod: Number(wire.cpuPeriod),
    cpuQuota: Number(wire.cpuQuota),
    cpuShares: Number(wire.cpuShares),
    memoryLimitBytes: Number(wire.memoryLimitInBytes),
    oomScoreAdj: Number(wire.oomScoreAdj),
    ...optionalText("cpusetCpus", wire.cpusetCpus),
    ...optionalText("cpusetMems", wire.cpusetMems),
    ...(wire.hugepageLimits.length === 0
      ? {}
      : {
          hugepageLimits: wire.hugepageLimits.map(({ pageSize, limit }) => ({ pageSize, limitBytes: Number(limit) })),
        }),
    ...(Object.keys(wire.unified).length === 0 ? {} : { unified: wire.unified }),
  };
}
