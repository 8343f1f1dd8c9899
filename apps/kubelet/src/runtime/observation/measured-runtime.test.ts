import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { measuredRuntime } from "./measured-runtime.ts";
import { TestNode } from "../../testing/test-node.ts";

async function valuesOf(metrics: ReturnType<typeof createMetrics>, pattern: RegExp): Promise<string[]> {
  return (await metrics.exposition()).split("\n").filter((line) => pattern.test(line));
}

test("calls of the runtime are counted and timed, and its errors are distinguished", async () => {
  const metrics = createMetrics();
  await using node = new TestNode();
  await node.start();
  const runtime = measuredRuntime({ clock: node.clock, metrics }, node.runtime);
  await runtime.listImages();
  await expect(runtime.containerStatus("nothing")).rejects.toThrow(/nothing/);
  expect(await valuesOf(metrics, /^kubelet_runtime_operations_(total|errors_total).* [1-9]/)).toEqual([
    'kubelet_runtime_operations_total{operation_type="list_images"} 1',
    'kubelet_runtime_operations_total{operation_type="container_status"} 1',
    'kubelet_runtime_operations_errors_total{operation_type="container_status"} 1',
  ]);
  expect(await valuesOf(metrics, /^kubelet_runtime_operations_duration_seconds_count/)).toHaveLength(2);
  const listening = new AbortController();
  for await (const event of runtime.events(listening.signal)) {
    expect(event.type).toBe("connected");
    break;
  }
});
