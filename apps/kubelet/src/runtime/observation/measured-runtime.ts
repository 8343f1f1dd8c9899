import type { Counter, Histogram, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";

/** Upstream's names of the operations (kuberuntime's instrumented_services.go). */
const operationTypes: Readonly<Partial<Record<keyof ContainerRuntime, string>>> = {
  version: "version",
  status: "status",
  updatePodCidr: "update_runtime_config",
  runPodSandbox: "run_podsandbox",
  stopPodSandbox: "stop_podsandbox",
  removePodSandbox: "remove_podsandbox",
  podSandboxStatus: "podsandbox_status",
  listPodSandboxes: "list_podsandbox",
  createContainer: "create_container",
  startContainer: "start_container",
  stopContainer: "stop_container",
  removeContainer: "remove_container",
  containerStatus: "container_status",
  listContainers: "list_containers",
  updateContainerResources: "update_container",
  reopenContainerLog: "reopen_container_log",
  execSync: "exec_sync",
  exec: "exec",
  attach: "attach",
  portForward: "port_forward",
  listImages: "list_images",
  imageStatus: "image_status",
  pullImage: "pull_image",
  removeImage: "remove_image",
  imageFsInfo: "image_fs_info",
};

/** Upstream's buckets: 14 buckets from 5 ms, each 2.5 times the previous. */
const buckets = Array.from({ length: 14 }, (_, i) => 0.005 * 2.5 ** i);

/**
 * Returns the same runtime with its calls and their errors counted and timed. Streams are not
 * measured.
 */
export function measuredRuntime(deps: { clock: Clock; metrics: Metrics }, runtime: ContainerRuntime): ContainerRuntime {
  const labels = ["operation_type"];
  const meters: Meters = {
    clock: deps.clock,
    operations: deps.metrics.counter({
      name: "kubelet_runtime_operations_total",
      help: "Cumulative number of runtime operations by operation type.",
      labels,
    }),
    errors: deps.metrics.counter({
      name: "kubelet_runtime_operations_errors_total",
      help: "Cumulative number of runtime operation errors by operation type.",
      labels,
    }),
    durations: deps.metrics.histogram({
      name: "kubelet_runtime_operations_duration_seconds",
      help: "Duration in seconds of runtime operations. Broken down by operation type.",
      labels,
      buckets,
    }),
  };
  const measured = new Map<PropertyKey, unknown>();
  for (const [name, operation] of Object.entries(operationTypes)) {
    const call = runtime[name as keyof ContainerRuntime] as (...args: unknown[]) => Promise<unknown>;
    // Zero from the start, because an alert on the rate of errors has to detect the first error.
    meters.errors.add(0, { operation_type: operation });
    measured.set(name, timed(meters, operation, call.bind(runtime)));
  }
  return new Proxy(runtime, {
    get(target, name) {
      const value: unknown = measured.get(name) ?? Reflect.get(target, name);
      // The adapter has its state in private fields, which only the adapter itself can read.
      return typeof value === "function" && !measured.has(name) ? (value.bind(target) as unknown) : value;
    },
  });
}

interface Meters {
  clock: Clock;
  operations: Counter;
  errors: Counter;
  durations: Histogram;
}

function timed(
  { clock, operations, errors, durations }: Meters,
  operation: string,
  call: (...args: unknown[]) => Promise<unknown>,
): (...args: unknown[]) => Promise<unknown> {
  const labels = { operation_type: operation };
  return async (...args) => {
    const startedMs = clock.monotonicMs();
    operations.add(1, labels);
    try {
      return await call(...args);
    } catch (error) {
      errors.add(1, labels);
      throw error;
    } finally {
      durations.observe((clock.monotonicMs() - startedMs) / 1000, labels);
    }
  };
}
