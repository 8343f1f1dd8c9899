import { expect, test } from "vitest";
import type { Pod } from "../kinds/core/pod/pod.ts";
import { containerStories } from "./container-stories.ts";

const at = (seconds: number) => `2026-01-01T00:00:${String(seconds).padStart(2, "0")}Z`;

function end(restart: number, [startedAt, finishedAt]: [number, number], more: object = {}) {
  const id = `0${restart}`;
  return {
    container: "c",
    restart,
    exitCode: 1,
    reason: "Error",
    startedAt: at(startedAt),
    finishedAt: at(finishedAt),
    id,
    ...more,
  };
}

function pod(ends: object[], status: object): Pod {
  return {
    metadata: { name: "p", annotations: { "kintsugi.dev/terminations": JSON.stringify(ends) } },
    status: { containerStatuses: [{ name: "c", restartCount: 0, ready: false, image: "", imageID: "", ...status }] },
  } as Pod;
}

test("each end reports how long the container ran, why it ended, and how long it was down and why", () => {
  const ends = [
    end(2, [20, 25], { exitCode: 137, reason: "OOMKilled" }),
    end(1, [6, 10], { exitCode: 137, killed: "Container c failed liveness probe, will be restarted" }),
    end(0, [0, 5], { exitCode: 3 }),
  ];
  const [story] = containerStories(pod(ends, { restartCount: 3, state: { running: { startedAt: at(45) } } }));
  expect(story).toMatchObject({ container: "c", restarts: 3, now: `running since ${at(45)}` });
  expect(story?.ends).toMatchObject([
    { restart: 2, ranForMs: 5000, downMs: 20_000, because: "the kernel killed it because it ran out of memory" },
    { restart: 1, ranForMs: 4000, downMs: 10_000, because: "Container c failed liveness probe, will be restarted" },
    {
      restart: 0,
      ranForMs: 5000,
      downMs: 1000,
      downBecause: "restarted immediately",
      because: "ended by itself with code 3",
    },
  ]);
});

test("a container that is still down waits for the reason in its status", () => {
  const message = "back-off 20s restarting failed container=c pod=p_default(u)";
  const state = { waiting: { reason: "CrashLoopBackOff", message } };
  const [story] = containerStories(pod([end(1, [0, 1])], { restartCount: 1, state }));
  expect(story?.now).toBe(`waiting: CrashLoopBackOff: ${message}`);
  expect(story?.ends[0]).toMatchObject({ downBecause: message });
  expect(story?.ends[0]?.downMs).toBeUndefined();
});

test.each([
  [{ exitCode: 0, reason: "Completed" }, "ended by itself"],
  [{ exitCode: 143 }, "ended by SIGTERM"],
  [{ exitCode: 137, signal: 9 }, "ended by SIGKILL"],
  [{ exitCode: 255 }, "ended by itself with code 255"],
  [{ exitCode: 128, reason: "StartError" }, "it could not be started"],
  [{ exitCode: 137, reason: "ContainerStatusUnknown" }, "it no longer existed when the kubelet inspected it"],
])("%j: %s", (more, because) => {
  const state = { terminated: { exitCode: 1 } };
  expect(containerStories(pod([end(0, [0, 1], more)], { restartCount: 0, state }))[0]?.ends[0]?.because).toBe(because);
});

test("a container that has never ended also has a story, and a missing annotation is not a fault", () => {
  const [story] = containerStories({
    metadata: { name: "p" },
    status: {
      containerStatuses: [{ name: "c", restartCount: 0, ready: false, image: "", imageID: "", state: { waiting: {} } }],
    },
  } as Pod);
  expect(story).toEqual({ container: "c", restarts: 0, now: "waiting", ends: [] });
});
