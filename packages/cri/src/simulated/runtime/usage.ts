import type { ContainerStats, PodSandboxStats } from "../../messages/usage.ts";
import type { CreateContainerRequest } from "../../messages/container.ts";
import type { FakeContainer } from "./container.ts";
import type { FakeSandbox } from "./sandbox.ts";

/** The reported usage of a running container. */
export interface Usage {
  cpuCores: number;
  memoryBytes: number;
  /** Default 0. */
  writableLayerBytes?: number;
}

export type UsageOf = (request: CreateContainerRequest) => Usage;

/** The usage of an almost idle container. */
export const littleUsage: UsageOf = () => ({ cpuCores: 0.01, memoryBytes: 4 * 1024 * 1024 });

export function containerStats(container: FakeContainer, usage: Usage, nowMs: number): ContainerStats {
  const { id, config } = container.spec;
  const runningMs = nowMs - container.status().startedAtMs;
  return {
    containerId: id,
    name: config.metadata.name,
    labels: { ...config.labels },
    timestampMs: nowMs,
    cpuUsageNanoseconds: Math.round(runningMs * 1e6 * usage.cpuCores),
    memoryWorkingSetBytes: usage.memoryBytes,
    memoryUsageBytes: usage.memoryBytes,
    memoryRssBytes: usage.memoryBytes,
    writableLayerBytes: usage.writableLayerBytes ?? 0,
    writableLayerInodes: 1,
  };
}

/**
 * The sum of the sandbox's containers. The process of the sandbox itself counts with a usage of
 * zero.
 */
export function sandboxStats(
  sandbox: FakeSandbox,
  containers: readonly ContainerStats[],
  nowMs: number,
): PodSandboxStats {
  const { config, id } = sandbox;
  const sum = (of: (stats: ContainerStats) => number) => containers.reduce((total, stats) => total + of(stats), 0);
  const memoryBytes = sum((stats) => stats.memoryWorkingSetBytes);
  const silent = { rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 };
  const network = { timestampMs: nowMs, default: { name: "eth0", ...silent }, interfaces: [] };
  return {
    sandboxId: id,
    metadata: { ...config.metadata },
    labels: { ...config.labels },
    timestampMs: nowMs,
    cpuUsageNanoseconds: sum((stats) => stats.cpuUsageNanoseconds),
    memoryWorkingSetBytes: memoryBytes,
    memoryUsageBytes: memoryBytes,
    memoryRssBytes: memoryBytes,
    ...(config.linux.namespaces.network === "node" ? {} : { network }),
    processCount: containers.length + 1,
  };
}
