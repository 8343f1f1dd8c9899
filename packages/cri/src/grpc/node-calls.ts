import type { ContainerRuntime, RuntimeVersion } from "../container-runtime.ts";
import { runtimeStatusFromWire, type WireRuntimeStatus } from "../wire/runtime-status.ts";
import type { Call } from "./call.ts";

/** The calls about the runtime as a whole. */
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

    status: async (signal) => runtimeStatusFromWire(await call<WireRuntimeStatus>("runtime.Status", {}, { signal })),

    updatePodCidr: async (podCidr, signal) => {
      await call("runtime.UpdateRuntimeConfig", { runtimeConfig: { networkConfig: { podCidr } } }, { signal });
    },
  };
}
