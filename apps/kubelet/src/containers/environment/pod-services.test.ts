import { services } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

test("a pod gets the variables of the Services that exist at its start, and of later Services only when its container restarts", async () => {
  await using node = new TestNode();
  const service = (name: string, clusterIP: string) =>
    node.client.create(services, {
      metadata: { name, namespace: "default" },
      spec: { clusterIP, ports: [{ port: 80, protocol: "TCP" }] },
    });
  await service("one", "10.96.0.1");
  await node.start();
  await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/exit:1-after-5s" }] });
  await node.clock.advance(2000);
  await service("two", "10.96.0.2");
  await node.clock.advance(10_000);
  const told = node.runtime.callsOf("createContainer").map(({ args }) => {
    const { config } = args[0] as { config: { envs: { key: string; value: string }[] } };
    return config.envs.filter(({ key }) => key.endsWith("_SERVICE_HOST")).map(({ value }) => value);
  });
  expect(told).toEqual([["10.96.0.1"], ["10.96.0.1", "10.96.0.2"]]);
});
