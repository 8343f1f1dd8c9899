import type { ContainerRuntime } from "../container-runtime.ts";
import {
  containerFromWire,
  containerStatusFromWire,
  type WireContainer,
  wireContainerFilter,
  type WireContainerStatus,
} from "../wire/container.ts";
import { wireContainerConfig, wireResources } from "../wire/container-config.ts";
import { wireSandboxConfig } from "../wire/sandbox.ts";
import { containerStatsFromWire, type WireContainerStats } from "../wire/stats.ts";
import { type Call, present, untilGone } from "./call.ts";

type ContainerCalls = Pick<
  ContainerRuntime,
  | "createContainer"
  | "startContainer"
  | "stopContainer"
  | "removeContainer"
  | "containerStatus"
  | "listContainers"
  | "updateContainerResources"
  | "reopenContainerLog"
  | "listContainerStats"
>;
type CommandCalls = Pick<ContainerRuntime, "execSync" | "exec" | "attach">;

export function containerCalls(call: Call, limits: { callTimeoutMs: number }): ContainerCalls & CommandCalls {
  return { ...lifeCycleCalls(call, limits), ...commandCalls(call, limits) };
}

function lifeCycleCalls(call: Call, { callTimeoutMs }: { callTimeoutMs: number }): ContainerCalls {
  return {
    createContainer: async ({ sandboxId, config, sandboxConfig }, signal) => {
      const request = {
        podSandboxId: sandboxId,
        config: wireContainerConfig(config),
        sandboxConfig: wireSandboxConfig(sandboxConfig),
      };
      return (await call<{ containerId: string }>("runtime.CreateContainer", request, { signal })).containerId;
    },

    startContainer: async (containerId, signal) => {
      await call("runtime.StartContainer", { containerId }, { signal });
    },

    stopContainer: (containerId, timeoutSeconds, signal) => {
      const limits = { signal, timeoutMs: callTimeoutMs + timeoutSeconds * 1000 };
      return untilGone(() => call("runtime.StopContainer", { containerId, timeout: timeoutSeconds }, limits));
    },

    removeContainer: (containerId, signal) =>
      untilGone(() => call("runtime.RemoveContainer", { containerId }, { signal })),

    containerStatus: async (containerId, signal) => {
      const response = await call<{ status: WireContainerStatus | null }>(
        "runtime.ContainerStatus",
        { containerId },
        { signal },
      );
      return containerStatusFromWire(present(response.status, "the container's status"));
    },

    listContainers: async (filter, signal) => {
      const request = filter ? { filter: wireContainerFilter(filter) } : {};
      const response = await call<{ containers: WireContainer[] }>("runtime.ListContainers", request, { signal });
      return response.containers.map(containerFromWire);
    },

    updateContainerResources: async (containerId, resources, signal) => {
      await call("runtime.UpdateContainerResources", { containerId, linux: wireResources(resources) }, { signal });
    },

    reopenContainerLog: async (containerId, signal) => {
      await call("runtime.ReopenContainerLog", { containerId }, { signal });
    },

    listContainerStats: async (filter, signal) => {
      const { stats } = await call<{ stats: WireContainerStats[] }>(
        "runtime.ListContainerStats",
        filter ? { filter: { id: filter.id, podSandboxId: filter.sandboxId, labelSelector: filter.labels } } : {},
        { signal },
      );
      return stats.map(containerStatsFromWire);
    },
  };
}

function commandCalls(call: Call, { callTimeoutMs }: { callTimeoutMs: number }): CommandCalls {
  return {
    // A command without a time limit has no limit here either, as in upstream; with a limit, the
    // runtime gets its usual time to respond in addition.
    execSync: async (...[containerId, command, timeoutSeconds, signal]) => {
      const timeoutMs = timeoutSeconds === 0 ? "unlimited" : callTimeoutMs + timeoutSeconds * 1000;
      const request = { containerId, cmd: command, timeout: timeoutSeconds };
      const { stdout, stderr, exitCode } = await call<{ stdout: Uint8Array; stderr: Uint8Array; exitCode: number }>(
        "runtime.ExecSync",
        request,
        { signal, timeoutMs },
      );
      return { stdout, stderr, exitCode };
    },

    exec: async ({ command, ...request }, signal) =>
      (await call<{ url: string }>("runtime.Exec", { ...request, cmd: command }, { signal })).url,

    attach: async (request, signal) => (await call<{ url: string }>("runtime.Attach", request, { signal })).url,
  };
}
