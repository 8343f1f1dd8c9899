import type { Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { csiCallNames } from "@kintsugi/csi";
import { isRpcError } from "@kintsugi/grpc";
import type { StorageDriver } from "./context.ts";
import { codeText } from "./rpc-text.ts";

/** Upstream's buckets (csi-lib-utils). */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

type Call = (request: object, signal?: AbortSignal) => Promise<object>;

/** The same driver, whose calls are measured like the calls of upstream's sidecars. */
export function measuredDriver(
  driver: StorageDriver,
  { metrics, clock, driverName }: { metrics: Metrics; clock: Clock; driverName: string },
): StorageDriver {
  const seconds = metrics.histogram({
    name: "csi_sidecar_operations_seconds",
    help: "Time of each call of the storage driver with its gRPC status code",
    labels: ["driver_name", "method_name", "grpc_status_code"],
    buckets,
  });
  const measured = csiCallNames.flatMap(({ service, name }) => {
    const call = (driver as Readonly<Record<string, unknown>>)[name] as Call | undefined;
    if (call === undefined) return [];
    const method = `/csi.v1.${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const observe = (beganMs: number, code: string) =>
      seconds.observe((clock.monotonicMs() - beganMs) / 1000, {
        driver_name: driverName,
        method_name: method,
        grpc_status_code: code,
      });
    const timed: Call = async (request, signal) => {
      const beganMs = clock.monotonicMs();
      try {
        const answer = await call(request, signal);
        observe(beganMs, "OK");
        return answer;
      } catch (error) {
        observe(beganMs, isRpcError(error) ? codeText(error.code) : "Unknown");
        throw error;
      }
    };
    return [[name, timed] as const];
  });
  return { ...driver, ...Object.fromEntries(measured) };
}
