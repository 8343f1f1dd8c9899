import { replicaSets } from "@kintsugi/api";
import { aReplicaSet } from "@kintsugi/simulation";
import { VirtualCluster } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

const second = 1000;

interface MetricsOfPods {
  items: { metadata: { name: string }; containers: { usage: { cpu: string } }[] }[];
}

// A dead kubelet leaves its containers running, and an autoscaler cannot read their usage.
test("pods that are not Ready or are being deleted do not share a workload's load", async () => {
  await using cluster = new VirtualCluster({ nodes: 2, profile: "fast" });
  const { client, loads } = cluster;
  await cluster.start();
  loads.add("web", 400);
  await cluster.during(client.create(replicaSets, aReplicaSet("web", 4)));
  const usage = async () => {
    const path = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
    const { items } = (await cluster.during(client.call({ method: "GET", path }))) as MetricsOfPods;
    return items.map(({ containers }) => containers[0]?.usage.cpu);
  };
  await cluster.advance(20 * second);
  expect(await usage()).toEqual(Array(4).fill("100m"));
  cluster.node("node-1").kubelet.kill();
  await cluster.advance(100 * second);
  expect(await usage()).toEqual(Array(4).fill("100m"));
});
