import { expect, test } from "vitest";
import { proxiedNode } from "./testing/proxied-node.ts";
import { aService, aSlice, anEndpoint } from "./testing/service-builders.ts";

test("the delay from a change to its rules is measured for changes since this process started", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  const since = (time: string) => ({ "endpoints.kubernetes.io/last-change-trigger-time": time });
  const put = (time: string, ...texts: string[]) =>
    world.put("endpointslices", aSlice(texts.map(anEndpoint), { annotations: since(time) }));
  put("2025-12-31T23:00:00Z", "10.1.0.1");
  await world.start();
  await world.clock.advance(10_000);
  put("2026-01-01T00:00:08Z", "10.1.0.2");
  await world.clock.settle();
  put("2026-01-01T00:00:08Z", "10.1.0.2", "10.1.0.3");
  await world.clock.advance(1_000);
  put("no time at all", "10.1.0.2");
  await world.clock.advance(1_000);
  expect(world.seen["kubeproxy_network_programming_duration_seconds"]).toEqual([2]);
});
