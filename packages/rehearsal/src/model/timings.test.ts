import type { Event, Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { nodesFromFlag } from "../source/nodes-flag.ts";
import { makePicture } from "../picture/make-picture.ts";
import { drawPodTimes, drawPullMs, timingsOf } from "./timings.ts";

const middle = { float: () => 0.5 };

function pictureOf(objects: readonly (Pod | Event)[]) {
  const raw = objects.map((object) => ({ apiVersion: "v1", kind: "Pod", ...object }));
  return makePicture({
    name: "f",
    objects: [...nodesFromFlag("1x4cpu16Gi"), ...raw] as never,
    listed: [],
    isWhole: false,
  });
}

const aPod = (restartCount: number): Pod => ({
  metadata: { name: "a", namespace: "shop", uid: "a" },
  spec: { containers: [{ name: "c", image: "web:1", readinessProbe: { initialDelaySeconds: 20 } }] },
  status: {
    conditions: [
      { type: "PodScheduled", status: "True", lastTransitionTime: "2026-03-01T10:00:00Z" },
      { type: "Ready", status: "True", lastTransitionTime: "2026-03-01T10:00:42Z" },
    ],
    containerStatuses: [
      {
        name: "c",
        image: "web:1",
        imageID: "x",
        ready: true,
        restartCount,
        state: { running: { startedAt: "2026-03-01T10:00:12Z" } },
      },
    ],
  },
});
const pulled: Event = {
  metadata: { name: "e", namespace: "shop" },
  involvedObject: {},
  reason: "Pulled",
  message: 'Successfully pulled image "web:1" in 1m2.5s (1m4s including waiting). Image size: 5 bytes.',
} as Event;

test("starts are as a workload has shown them, and pulls as events tell", () => {
  const timings = timingsOf(pictureOf([aPod(0), { ...pulled, kind: "Event" } as Event]));
  expect(drawPodTimes(timings, { workload: "shop/pod/a", pod: aPod(0) }, middle)).toMatchObject({
    startMs: 12_000,
    readyMs: 30_000,
  });
  expect(drawPullMs(timings, "web:1", middle)).toBe(62_500);
  expect(drawPullMs(timings, "other:1", middle)).toBe(0);
});

test("a pod that was restarted shows nothing, and what is assumed begins behind the probe's delay", () => {
  const timings = timingsOf(pictureOf([aPod(3)]));
  expect(timings.shown).toBe(0);
  const { readyMs } = drawPodTimes(timings, { workload: "shop/pod/a", pod: aPod(3) }, middle);
  expect(readyMs).toBe(20_000 + 5_500);
  expect(drawPullMs(timings, "web:1", middle)).toBe(11_000);
});

test("a record shows the starts and stops of pods that no longer exist, and each pull once", () => {
  const gone = { ...aPod(0), metadata: { name: "b", namespace: "shop", uid: "a" } };
  const raw = (object: object, kind: string) => ({ apiVersion: "v1", ...object, kind });
  const event = raw({ ...pulled, metadata: { ...pulled.metadata, uid: "pull" } }, "Event");
  const picture = makePicture({
    name: "record",
    objects: [...nodesFromFlag("1x4cpu16Gi"), event],
    listed: [],
    isWhole: false,
    past: {
      fromMs: 0,
      toMs: 60_000,
      pods: [raw(gone, "Pod")],
      events: [event],
      stops: [{ pod: raw(gone, "Pod"), stopMs: 7_000 }],
    },
  });
  const timings = timingsOf(picture);
  expect(timings).toMatchObject({ shown: 1, shownStops: 1 });
  expect(timings.pulls.get("web:1")).toEqual([62_500]);
  expect(drawPodTimes(timings, { workload: "shop/pod/b", pod: aPod(0) }, middle)).toEqual({
    startMs: 12_000,
    readyMs: 30_000,
    stopMs: 7_000,
  });
});
