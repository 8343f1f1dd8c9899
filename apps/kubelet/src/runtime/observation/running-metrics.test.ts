import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

async function valuesOf(metrics: ReturnType<typeof createMetrics>, pattern: RegExp): Promise<string[]> {
  return (await metrics.exposition()).split("\n").filter((line) => pattern.test(line));
}

test("running pods and containers are counted, and their start is timed", async () => {
  const metrics = createMetrics();
  await using node = new TestNode();
  node.metrics = metrics;
  await node.start();
  await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  await node.clock.advance(10_000);
  const counted = /^kubelet_(running_pods|running_containers|pod_start_duration_seconds_count|node_name)/;
  expect(await valuesOf(metrics, counted)).toEqual([
    "kubelet_running_pods 1",
    'kubelet_running_containers{container_state="running"} 1',
    "kubelet_pod_start_duration_seconds_count 1",
    'kubelet_node_name{node="node-1"} 1',
  ]);
  const [container] = await node.runtime.listContainers();
  node.runtime.exitContainer(container?.id ?? "", { exitCode: 3 });
  await node.clock.advance(100);
  expect(await valuesOf(metrics, /^kubelet_running_containers/)).toContain(
    'kubelet_running_containers{container_state="exited"} 1',
  );
});
