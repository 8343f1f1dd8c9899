import type { RuntimeFaults } from "@kintsugi/cri/testing";
import { expect, test } from "vitest";
import { TestNode } from "./testing/test-node.ts";

test("a pod that waits for its node's network runs a second after the runtime has said that it is there", async () => {
  let isReady = false;
  const conditions = () => [
    { type: "RuntimeReady", status: true, reason: "", message: "" },
    { type: "NetworkReady", status: isReady, reason: "NetworkPluginNotReady", message: "" },
  ];
  const faults: RuntimeFaults = {
    answer: ({ name }, answer) => (name === "status" ? { ...(answer as object), conditions: conditions() } : answer),
  };
  await using node = new TestNode({}, faults);
  await node.start();
  await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  await node.clock.advance(12_000);
  expect(await node.running()).toEqual([]);
  isReady = true;
  // The runtime is asked every 5 s.
  await node.clock.advance(6000);
  expect(await node.running()).toEqual(["p/c#0"]);
});
