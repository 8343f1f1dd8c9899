import { expect, test } from "vitest";
import { healthyNode, type NodeState } from "../cluster/component.ts";
import { type NodeAction, planNodeAction } from "./node-actions.ts";

const off: NodeState = { power: "off", link: "down", kubelet: "running" };
const fenced: NodeState = { ...off, fenced: true };
const alone: NodeState = { ...healthyNode, link: "down", kubelet: "stopped" };

test.each<[NodeAction, NodeState, ReturnType<typeof planNodeAction>]>([
  ["kill", healthyNode, { to: off, losesPower: true }],
  ["kill", off, { to: off, losesPower: true }],
  ["kill", fenced, { to: fenced, losesPower: true }],
  ["fence", off, { to: fenced }],
  ["fence", fenced, { to: fenced }],
  ["return", off, { to: healthyNode }],
  ["return", fenced, { to: healthyNode }],
  ["return", alone, { to: healthyNode }],
  ["reboot", healthyNode, { to: healthyNode, losesPower: true }],
  ["reboot", alone, { to: { ...alone, kubelet: "running" }, losesPower: true }],
  ["partition", healthyNode, { to: { ...healthyNode, link: "down" } }],
  ["heal", alone, { to: { ...alone, link: "up" } }],
  ["stop-kubelet", healthyNode, { to: { ...healthyNode, kubelet: "stopped" } }],
  ["start-kubelet", alone, { to: { ...alone, kubelet: "running" } }],
])("%s of a node that is %j", (action, state, plan) => {
  expect(planNodeAction({ name: "node-1", cluster: "lab" }, state, action)).toEqual(plan);
});

test.each<NodeAction>(["reboot", "stop-kubelet", "start-kubelet", "partition", "heal"])(
  "%s of a node that is off reports the first step",
  (action) => {
    expect(planNodeAction({ name: "node-1", cluster: "lab" }, off, action)).toEqual({
      refused: "node-1 is off: bring it back first with `kintsugi node return node-1 --name lab`",
    });
  },
);

test.each([healthyNode, alone])("a machine with power is never fenced: %j", (state) => {
  expect(planNodeAction({ name: "node-1", cluster: "lab" }, state, "fence")).toEqual({
    refused:
      "node-1 is on: its pods can be replaced only when the machine is off and its containers have certainly ended",
  });
});
