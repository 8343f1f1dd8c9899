import type {
  Container,
  ContainerFilter,
  ContainerState,
  ContainerStatus,
  ProcessUser,
} from "../messages/container.ts";
import { mountFromWire, type WireMount, wireMount } from "./container-config.ts";
import { msFromNanoseconds, nanosecondsFromMs, optional, optionalText } from "./scalars.ts";

type WireContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED" | "CONTAINER_UNKNOWN";

interface WireContainerCommon {
  id: string;
  metadata: { name: string; attempt: number } | null;
  state: WireContainerState;
  createdAt: string;
  image: { image: string } | null;
  imageRef: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface WireContainer extends WireContainerCommon {
  podSandboxId: string;
}

export interface WireContainerStatus extends WireContainerCommon {
  startedAt: string;
  finishedAt: string;
  exitCode: number;
  reason: string;
  message: string;
  mounts: WireMount[];
  logPath: string;
  user: { linux: { uid: string; gid: string; supplementalGroups: string[] } | null } | null;
}

export interface WireContainerFilter {
  id: string;
  state: { state: WireContainerState } | null;
  podSandboxId: string;
  labelSelector: Record<string, string>;
}

const wireState: Record<ContainerState, WireContainerState> = {
  created: "CONTAINER_CREATED",
  running: "CONTAINER_RUNNING",
  exited: "CONTAINER_EXITED",
  unknown: "CONTAINER_UNKNOWN",
};
const stateOfWire: Record<WireContainerState, ContainerState> = {
  CONTAINER_CREATED: "created",
  CONTAINER_RUNNING: "running",
  CONTAINER_EXITED: "exited",
  CONTAINER_UNKNOWN: "unknown",
};

export function wireContainer(container: Container): WireContainer {
  return { ...wireCommon(container), podSandboxId: container.sandboxId };
}

export function containerFromWire(wire: WireContainer): Container {
  return { ...commonFromWire(wire), sandboxId: wire.podSandboxId };
}

export function wireContainerStatus(status: ContainerStatus): WireContainerStatus {
  return {
    ...wireCommon(status),
    startedAt: nanosecondsFromMs(status.startedAtMs),
    finishedAt: nanosecondsFromMs(status.finishedAtMs),
    exitCode: status.exitCode,
    reason: status.reason,
    message: status.message,
    mounts: status.mounts.map(wireMount),
    logPath: status.logPath,
    user: wireUser(status.user),
  };
}

export function containerStatusFromWire(wire: WireContainerStatus): ContainerStatus {
  return {
    ...commonFromWire(wire),
    startedAtMs: msFromNanoseconds(wire.startedAt),
    finishedAtMs: msFromNanoseconds(wire.finishedAt),
    exitCode: wire.exitCode,
    reason: wire.reason,
    message: wire.message,
    mounts: wire.mounts.map(mountFromWire),
    logPath: wire.logPath,
    ...optional("user", userFromWire(wire.user)),
  };
}

function wireUser(user: ProcessUser | undefined): WireContainerStatus["user"] {
  if (user === undefined) return null;
  const { uid, gid, supplementalGroups } = user;
  return { linux: { uid: String(uid), gid: String(gid), supplementalGroups: supplementalGroups.map(String) } };
}

function userFromWire(wire: WireContainerStatus["user"]): ProcessUser | undefined {
  if (!wire?.linux) return undefined;
  const { uid, gid, supplementalGroups } = wire.linux;
  return { uid: Number(uid), gid: Number(gid), supplementalGroups: supplementalGroups.map(Number) };
}

export function wireContainerFilter(filter: ContainerFilter): WireContainerFilter {
  return {
    id: filter.id ?? "",
    state: filter.state === undefined ? null : { state: wireState[filter.state] },
    podSandboxId: filter.sandboxId ?? "",
    labelSelector: filter.labels ?? {},
  };
}

export function containerFilterFromWire(wire: Partial<WireContainerFilter> | null): ContainerFilter {
  if (!wire) return {};
  return {
    ...optionalText("id", wire.id ?? ""),
    ...optional("state", wire.state ? stateOfWire[wire.state.state] : undefined),
    ...optionalText("sandboxId", wire.podSandboxId ?? ""),
    labels: wire.labelSelector ?? {},
  };
}

function wireCommon(container: Omit<Container, "sandboxId">): WireContainerCommon {
  return {
    id: container.id,
    metadata: container.metadata,
    state: wireState[container.state],
    createdAt: nanosecondsFromMs(container.createdAtMs),
    image: { image: container.image },
    imageRef: container.imageRef,
    labels: container.labels,
    annotations: container.annotations,
  };
}

function commonFromWire(wire: WireContainerCommon): Omit<Container, "sandboxId"> {
  return {
    id: wire.id,
    metadata: wire.metadata ?? { name: "", attempt: 0 },
    image: wire.image?.image ?? "",
    imageRef: wire.imageRef,
    state: stateOfWire[wire.state],
    createdAtMs: msFromNanoseconds(wire.createdAt),
    labels: wire.labels,
    annotations: wire.annotations,
  };
}
