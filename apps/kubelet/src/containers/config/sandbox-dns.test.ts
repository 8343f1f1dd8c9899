import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

test("a pod that requests a missing cluster DNS gets its node's DNS, and both have an event", async () => {
  await using node = new TestNode();
  await node.start();
  const containers = [{ name: "c", image: "script.kintsugi.dev/run" }];
  await node.createPod("asks", { containers });
  await node.createPod("content", { containers, dnsPolicy: "Default" });
  await node.clock.advance(2000);
  for (const { args } of node.runtime.callsOf("runPodSandbox")) {
    expect(args[0]).toMatchObject({ dns: { servers: ["192.168.0.1"], searches: ["example.com"], options: [] } });
  }
  const told = (await node.events()).filter((event) => event.startsWith("MissingClusterDNS"));
  expect(told).toHaveLength(2);
  expect(told.join("\n")).toMatch(/pod: "asks_default\(.*\)"\. kubelet does not have ClusterDNS IP configured/);
});
