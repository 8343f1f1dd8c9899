import type { ContainerRuntime, RuntimeVersion } from "../container-runtime.ts";
import { appliesCdi } from "../wire/cdi-support.ts";
import { runtimeStatusFromWire, type WireRuntimeStatus } from "../wire/runtime-status.ts";
import type { Call } from "./call.ts";

/** The calls about the runtime as a whole. */
export function nodeCalls(call: Call): Pick<ContainerRuntime, "version" | "status" | "updatePodCidr" | "appliesCdi"> {
  const version = async (signal?: AbortSignal) => {
    const { runtimeName, runtimeVersion, runtimeApiVersion } = await call<RuntimeVersion>(
      "runtime.Version",
      { version: "0.1.0" },
      { signal },
    );
    return { runtimeName, runtimeVersion, runtimeApiVersion };
  };
  return {
    version,

    appliesCdi: async (signal) => {
      const { info } = await call<WireRuntimeStatus>("runtime.Status", { verbose: true }, { signal });
      return appliesCdi(await version(signal), info["config"]);
    },

    status: async (signal) => runtimeStatusFromWire(await call<WireRuntimeStatus>("runtime.Status", {}, { signal })),

    updatePodCidr: async (podCidr, signal) => {
      await call("runtime.UpdateRuntimeConfig", { runtimeConfig: { networkConfig: { podCidr } } }, { signal });
    },
  };
}
