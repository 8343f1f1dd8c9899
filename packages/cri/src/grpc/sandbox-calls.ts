import type { ContainerRuntime } from "../container-runtime.ts";
import {
  sandboxFromWire,
  sandboxStatusFromWire,
  type WirePodSandbox,
  type WirePodSandboxStatus,
  wireSandboxConfig,
  wireSandboxFilter,
} from "../wire/sandbox.ts";
import { podSandboxStatsFromWire, type WirePodSandboxStats } from "../wire/stats.ts";
import { type Call, present, untilGone } from "./call.ts";

type SandboxCalls = Pick<
  ContainerRuntime,
  | "runPodSandbox"
  | "stopPodSandbox"
  | "removePodSandbox"
  | "podSandboxStatus"
  | "listPodSandboxes"
  | "listPodSandboxStats"
  | "portForward"
>;

export function sandboxCalls(call: Call, { callTimeoutMs }: { callTimeoutMs: number }): SandboxCalls {
  return {
    runPodSandbox: async (config, signal) => {
      const request = { config: wireSandboxConfig(config), runtimeHandler: config.runtimeHandler };
      const limits = { signal, timeoutMs: 2 * callTimeoutMs };
      return (await call<{ podSandboxId: string }>("runtime.RunPodSandbox", request, limits)).podSandboxId;
    },

    stopPodSandbox: (podSandboxId, signal) =>
      untilGone(() => call("runtime.StopPodSandbox", { podSandboxId }, { signal })),

    removePodSandbox: (podSandboxId, signal) =>
      untilGone(() => call("runtime.RemovePodSandbox", { podSandboxId }, { signal })),

    podSandboxStatus: async (podSandboxId, signal) => {
      const response = await call<{ status: WirePodSandboxStatus | null }>(
        "runtime.PodSandboxStatus",
        { podSandboxId },
        { signal },
      );
      return sandboxStatusFromWire(present(response.status, "the sandbox's status"));
    },

    listPodSandboxes: async (filter, signal) => {
      const request = filter ? { filter: wireSandboxFilter(filter) } : {};
      const { items } = await call<{ items: WirePodSandbox[] }>("runtime.ListPodSandbox", request, { signal });
      return items.map(sandboxFromWire);
    },

    listPodSandboxStats: async (filter, signal) => {
      const request = filter ? { filter: { id: filter.id, labelSelector: filter.labels } } : {};
      const { stats } = await call<{ stats: WirePodSandboxStats[] }>("runtime.ListPodSandboxStats", request, {
        signal,
      });
      return stats.map(podSandboxStatsFromWire);
    },

    portForward: async (podSandboxId, port, signal) =>
      (await call<{ url: string }>("runtime.PortForward", { podSandboxId, port }, { signal })).url,
  };
}
