import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { AttachRequest, ExecRequest } from "../../messages/container.ts";
import type { ContainerRuntime } from "../../container-runtime.ts";
import {
  containerFilterFromWire,
  type WireContainerFilter,
  wireContainer,
  wireContainerStatus,
} from "../../wire/container.ts";
import {
  containerConfigFromWire,
  resourcesFromWire,
  type WireContainerConfig,
  type WireResources,
} from "../../wire/container-config.ts";
import { wireRuntimeStatus } from "../../wire/runtime-status.ts";
import {
  sandboxConfigFromWire,
  sandboxFilterFromWire,
  type WirePodSandboxConfig,
  type WireSandboxFilter,
  wireSandbox,
  wireSandboxStatus,
} from "../../wire/sandbox.ts";
import { wireContainerStats, wirePodSandboxStats } from "../../wire/stats.ts";
import { required } from "./required.ts";
import { unary } from "./handler.ts";

export function nodeHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return {
    Version: unary(async (_request, signal) => ({ version: "0.1.0", ...(await runtime.version(signal)) })),
    Status: unary<{ verbose: boolean }>(async ({ verbose }, signal) => {
      const info = verbose ? { config: JSON.stringify({ enableCDI: await runtime.appliesCdi(signal) }) } : {};
      return wireRuntimeStatus(await runtime.status(signal), info);
    }),
    UpdateRuntimeConfig: unary<{ runtimeConfig: { networkConfig: { podCidr: string } | null } | null }>(
      (request, signal) => runtime.updatePodCidr(request.runtimeConfig?.networkConfig?.podCidr ?? "", signal),
    ),
  };
}

interface OfSandbox {
  podSandboxId: string;
}

export function sandboxHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return {
    RunPodSandbox: unary<{ config: WirePodSandboxConfig | null; runtimeHandler: string }>(async (request, signal) => {
      const config = sandboxConfigFromWire(required(request.config, "config"), request.runtimeHandler);
      return { podSandboxId: await runtime.runPodSandbox(config, signal) };
    }),
    StopPodSandbox: unary<OfSandbox>((request, signal) => runtime.stopPodSandbox(request.podSandboxId, signal)),
    RemovePodSandbox: unary<OfSandbox>((request, signal) => runtime.removePodSandbox(request.podSandboxId, signal)),
    PodSandboxStatus: unary<OfSandbox>(async (request, signal) => ({
      status: wireSandboxStatus(await runtime.podSandboxStatus(request.podSandboxId, signal)),
    })),
    ListPodSandbox: unary<{ filter: WireSandboxFilter | null }>(async ({ filter }, signal) => ({
      items: (await runtime.listPodSandboxes(sandboxFilterFromWire(filter), signal)).map(wireSandbox),
    })),
    ListPodSandboxStats: unary<{ filter: Omit<WireSandboxFilter, "state"> | null }>(async ({ filter }, signal) => ({
      stats: (await runtime.listPodSandboxStats(sandboxFilterFromWire(filter), signal)).map(wirePodSandboxStats),
    })),
    PortForward: unary<OfSandbox & { port: number[] }>(async ({ podSandboxId, port }, signal) => ({
      url: await runtime.portForward(podSandboxId, port, signal),
    })),
  };
}

interface OfContainer {
  containerId: string;
}

export function containerHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return { ...lifeCycleHandlers(runtime), ...commandHandlers(runtime) };
}

function lifeCycleHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return {
    CreateContainer: unary<{
      podSandboxId: string;
      config: WireContainerConfig | null;
      sandboxConfig: WirePodSandboxConfig | null;
    }>(async (request, signal) => {
      const containerId = await runtime.createContainer(
        {
          sandboxId: request.podSandboxId,
          config: containerConfigFromWire(required(request.config, "config")),
          sandboxConfig: sandboxConfigFromWire(required(request.sandboxConfig, "sandbox_config"), ""),
        },
        signal,
      );
      return { containerId };
    }),
    StartContainer: unary<OfContainer>((request, signal) => runtime.startContainer(request.containerId, signal)),
    StopContainer: unary<OfContainer & { timeout: string }>((request, signal) =>
      runtime.stopContainer(request.containerId, Number(request.timeout), signal),
    ),
    RemoveContainer: unary<OfContainer>((request, signal) => runtime.removeContainer(request.containerId, signal)),
    ContainerStatus: unary<OfContainer>(async (request, signal) => ({
      status: wireContainerStatus(await runtime.containerStatus(request.containerId, signal)),
    })),
    ListContainers: unary<{ filter: WireContainerFilter | null }>(async ({ filter }, signal) => ({
      containers: (await runtime.listContainers(containerFilterFromWire(filter), signal)).map(wireContainer),
    })),
    UpdateContainerResources: unary<OfContainer & { linux: WireResources | null }>((request, signal) =>
      runtime.updateContainerResources(request.containerId, resourcesFromWire(request.linux), signal),
    ),
    ReopenContainerLog: unary<OfContainer>((request, signal) =>
      runtime.reopenContainerLog(request.containerId, signal),
    ),
    ListContainerStats: unary<{ filter: Omit<WireContainerFilter, "state"> | null }>(async ({ filter }, signal) => ({
      stats: (await runtime.listContainerStats(containerFilterFromWire(filter), signal)).map(wireContainerStats),
    })),
  };
}

function commandHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return {
    ExecSync: unary<OfContainer & { cmd: string[]; timeout: string }>(({ containerId, cmd, timeout }, signal) =>
      runtime.execSync(containerId, cmd, Number(timeout), signal),
    ),
    Exec: unary<Omit<ExecRequest, "command"> & { cmd: string[] }>(async ({ cmd, ...request }, signal) => ({
      url: await runtime.exec({ ...request, command: cmd }, signal),
    })),
    Attach: unary<AttachRequest>(async (request, signal) => ({ url: await runtime.attach(request, signal) })),
  };
}
