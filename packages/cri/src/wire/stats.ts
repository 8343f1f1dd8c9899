import type {
  ContainerStats,
  InterfaceUsage,
  NetworkUsage,
  PodSandboxStats,
  ProcessorAndMemoryUsage,
} from "../messages/usage.ts";
import type { PodMetadata } from "../messages/sandbox.ts";
import type { WireFilesystemUsage } from "./image.ts";
import { noMetadata } from "./sandbox.ts";
import {
  integerFromWire,
  msFromNanoseconds,
  nanosecondsFromMs,
  optional,
  optionalInteger,
  type WireInteger,
  wireInteger,
} from "./scalars.ts";

interface WireCpu {
  timestamp: string;
  usageCoreNanoSeconds: WireInteger;
}

interface WireMemory {
  timestamp: string;
  workingSetBytes: WireInteger;
  usageBytes: WireInteger;
  rssBytes: WireInteger;
  pageFaults: WireInteger;
  majorPageFaults: WireInteger;
}

export interface WireContainerStats {
  attributes: { id: string; metadata: { name: string; attempt: number } | null; labels: Record<string, string> } | null;
  cpu: WireCpu | null;
  memory: WireMemory | null;
  writableLayer: WireFilesystemUsage | null;
}

export interface WirePodSandboxStats {
  attributes: { id: string; metadata: PodMetadata | null; labels: Record<string, string> } | null;
  linux: {
    cpu: WireCpu | null;
    memory: WireMemory | null;
    network: WireNetwork | null;
    process: { timestamp: string; processCount: WireInteger } | null;
  } | null;
}

interface WireNetwork {
  timestamp: string;
  defaultInterface: WireInterface | null;
  interfaces: WireInterface[];
}

interface WireInterface {
  name: string;
  rxBytes: WireInteger;
  rxErrors: WireInteger;
  txBytes: WireInteger;
  txErrors: WireInteger;
}

export function wireContainerStats(stats: ContainerStats): WireContainerStats {
  const timestamp = nanosecondsFromMs(stats.timestampMs);
  return {
    attributes: { id: stats.containerId, metadata: { name: stats.name, attempt: 0 }, labels: stats.labels },
    ...wireUsage(stats),
    writableLayer: {
      timestamp,
      fsId: null,
      usedBytes: wireInteger(stats.writableLayerBytes),
      inodesUsed: wireInteger(stats.writableLayerInodes),
    },
  };
}

export function containerStatsFromWire(wire: WireContainerStats): ContainerStats {
  return {
    containerId: wire.attributes?.id ?? "",
    name: wire.attributes?.metadata?.name ?? "",
    labels: wire.attributes?.labels ?? {},
    ...usageFromWire(wire),
    writableLayerBytes: integerFromWire(wire.writableLayer?.usedBytes ?? null),
    writableLayerInodes: integerFromWire(wire.writableLayer?.inodesUsed ?? null),
  };
}

export function wirePodSandboxStats(stats: PodSandboxStats): WirePodSandboxStats {
  return {
    attributes: { id: stats.sandboxId, metadata: stats.metadata, labels: stats.labels },
    linux: {
      ...wireUsage(stats),
      network: stats.network ? wireNetwork(stats.network) : null,
      process: { timestamp: nanosecondsFromMs(stats.timestampMs), processCount: wireInteger(stats.processCount) },
    },
  };
}

export function podSandboxStatsFromWire({ attributes, linux }: WirePodSandboxStats): PodSandboxStats {
  return {
    sandboxId: attributes?.id ?? "",
    metadata: attributes?.metadata ?? noMetadata,
    labels: attributes?.labels ?? {},
    ...usageFromWire(linux ?? { cpu: null, memory: null }),
    ...optional("network", linux?.network ? networkFromWire(linux.network) : undefined),
    processCount: integerFromWire(linux?.process?.processCount ?? null),
  };
}

function wireUsage(usage: ProcessorAndMemoryUsage): { cpu: WireCpu; memory: WireMemory } {
  const timestamp = nanosecondsFromMs(usage.timestampMs);
  return {
    cpu: { timestamp, usageCoreNanoSeconds: wireInteger(usage.cpuUsageNanoseconds) },
    memory: {
      timestamp,
      workingSetBytes: wireInteger(usage.memoryWorkingSetBytes),
      usageBytes: wireInteger(usage.memoryUsageBytes),
      rssBytes: wireInteger(usage.memoryRssBytes),
      pageFaults: wireInteger(usage.pageFaults),
      majorPageFaults: wireInteger(usage.majorPageFaults),
    },
  };
}

function usageFromWire({ cpu, memory }: { cpu: WireCpu | null; memory: WireMemory | null }): ProcessorAndMemoryUsage {
  return {
    timestampMs: msFromNanoseconds(cpu?.timestamp ?? memory?.timestamp ?? "0"),
    cpuUsageNanoseconds: integerFromWire(cpu?.usageCoreNanoSeconds ?? null),
    memoryWorkingSetBytes: integerFromWire(memory?.workingSetBytes ?? null),
    ...optionalInteger("memoryUsageBytes", memory?.usageBytes),
    ...optionalInteger("memoryRssBytes", memory?.rssBytes),
    ...optionalInteger("pageFaults", memory?.pageFaults),
    ...optionalInteger("majorPageFaults", memory?.majorPageFaults),
  };
}

function wireNetwork(network: NetworkUsage): WireNetwork {
  return {
    timestamp: nanosecondsFromMs(network.timestampMs),
    defaultInterface: network.default ? wireInterface(network.default) : null,
    interfaces: network.interfaces.map(wireInterface),
  };
}

function networkFromWire(wire: WireNetwork): NetworkUsage {
  return {
    timestampMs: msFromNanoseconds(wire.timestamp),
    ...optional("default", wire.defaultInterface ? interfaceFromWire(wire.defaultInterface) : undefined),
    interfaces: wire.interfaces.map(interfaceFromWire),
  };
}

function wireInterface({ name, rxBytes, rxErrors, txBytes, txErrors }: InterfaceUsage): WireInterface {
  return {
    name,
    rxBytes: wireInteger(rxBytes),
    rxErrors: wireInteger(rxErrors),
    txBytes: wireInteger(txBytes),
    txErrors: wireInteger(txErrors),
  };
}

function interfaceFromWire(wire: WireInterface): InterfaceUsage {
  return {
    name: wire.name,
    rxBytes: integerFromWire(wire.rxBytes),
    rxErrors: integerFromWire(wire.rxErrors),
    txBytes: integerFromWire(wire.txBytes),
    txErrors: integerFromWire(wire.txErrors),
  };
}
