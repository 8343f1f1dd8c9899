import type { ContainerRuntime, RuntimeStatus, RuntimeVersion } from "../container-runtime.ts";
import type { Call } from "./call.ts";

/** What concerns the runtime as a whole. */
export function nodeCalls(call: Call): Pick<ContainerRuntime, "version" | "status" | "updatePodCidr"> {
  return {
    version: async (signal) => {
      const { runtimeName, runtimeVersion, runtimeApiVersion } = await call<RuntimeVersion>(
        "runtime.Version",
        { version: "0.1.0" },
        { signal },
      );
      return { runtimeName, runtimeVersion, runtimeApiVersion };
    },

    status: async (signal) => {
      const { status } = await call<{ status: RuntimeStatus | null }>("runtime.Status", {}, { signal });
      return { conditions: status?.conditions ?? [] };
    },

    updatePodCidr: async (podCidr, signal) => {
      await call("runtime.UpdateRuntimeConfig", { runtimeConfig: { networkConfig: { podCidr } } }, { signal });
    },
  };
}
