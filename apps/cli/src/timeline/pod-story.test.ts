import type { Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { podStory, storyText } from "./pod-story.ts";

const at = (second: number) => `2026-01-01T00:00:0${second}Z`;

test("the story of a pod follows its timeline and contains the actions on the pod and the exits of each container", () => {
  const ends = [
    {
      container: "c",
      restart: 0,
      exitCode: 1,
      reason: "Error",
      message: "no lock",
      startedAt: at(0),
      finishedAt: at(2),
      id: "a",
    },
  ];
  const status = (name: string, restartCount: number) => {
    return { name, restartCount, ready: true, image: "", imageID: "", state: { running: { startedAt: at(3) } } };
  };
  const pod = {
    metadata: { name: "p", namespace: "default", annotations: { "kintsugi.dev/terminations": JSON.stringify(ends) } },
    status: {
      conditions: [
        { type: "Ready", status: "True" },
        {
          type: "kintsugi.dev/Restarted",
          status: "True",
          reason: "Escalated",
          message: "1 time in a row",
          lastTransitionTime: at(3),
        },
      ],
      containerStatuses: [status("c", 1), status("log", 0)],
    },
  } as Pod;
  expect(storyText(podStory(pod))).toEqual([
    "",
    `kintsugi.dev/Restarted (Escalated) since ${at(3)}: 1 time in a row`,
    "",
    `container c: restarted once, running since ${at(3)}; its last end:`,
    "ENDED                  RESTART   RAN   EXIT   REASON   THEN DOWN                   BECAUSE",
    `${at(2)}   0         2s    1      Error    1s: restarted immediately   ended by itself with code 1: "no lock"`,
    "",
    `container log: restarted 0 times, running since ${at(3)}, has never ended`,
  ]);
});

test("the story of a StatefulSet's pod contains the reason why its set waits", () => {
  const condition = {
    type: "kintsugi.dev/WaitingForNode",
    status: "True" as const,
    reason: "NodeUnreachable",
    message: "Pod db-1 is not replaced",
    lastTransitionTime: at(3),
  };
  const set = { metadata: { name: "db" }, status: { replicas: 3, conditions: [condition] } };
  expect(storyText(podStory({ metadata: { name: "db-1" } }, set))).toEqual([
    "",
    `kintsugi.dev/WaitingForNode (NodeUnreachable) since ${at(3)}: Pod db-1 is not replaced`,
  ]);
});
