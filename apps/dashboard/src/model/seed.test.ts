import { formatTimestamp, type Node, type Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { stepsOfNode, stepsOfPod } from "./seed.ts";

const startMs = 1_767_225_600_000;
const at = (seconds: number) => formatTimestamp(startMs + seconds * 1000);

test("objects list their recorded steps in order", () => {
  const pod: Pod = {
    metadata: {
      name: "p",
      namespace: "a",
      creationTimestamp: at(0),
      deletionTimestamp: at(40),
      deletionGracePeriodSeconds: 30,
    },
    spec: { containers: [], nodeName: "n1" },
    status: {
      phase: "Running",
      startTime: at(2),
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: at(1) },
        { type: "Ready", status: "True", lastTransitionTime: at(3) },
      ],
    },
  };
  expect(stepsOfPod(pod).map(({ timeMs, what, node }) => [(timeMs - startMs) / 1000, what, node])).toEqual([
    [0, "created", "n1"],
    [1, "bound", "n1"],
    [2, "phase", "n1"],
    [3, "condition", "n1"],
    [10, "terminating", "n1"],
  ]);
  const node: Node = { metadata: { name: "n1", creationTimestamp: at(0) }, spec: { unschedulable: true } };
  expect(stepsOfNode(node).map(({ what }) => what)).toEqual(["created", "cordoned"]);
});
