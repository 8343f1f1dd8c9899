import type { Event, Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { nodesFromFlag } from "../source/nodes-flag.ts";
import { makePicture } from "../picture/make-picture.ts";
import { drawCrashMs, drawLookMs, drawMoment, drawPodTimes, drawPullMs } from "./draw-times.ts";
import { timingsOf } from "./timings.ts";

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

test("start times are derived from a workload's history, and pull times from events", () => {
  const timings = timingsOf(pictureOf([aPod(0), { ...pulled, kind: "Event" } as Event]));
  expect(drawPodTimes(timings, { workload: "shop/pod/a", pod: aPod(0), moment: 0 }, middle)).toMatchObject({
    startMs: 12_000,
    readyMs: 30_000,
  });
  expect(drawPullMs(timings, { image: "web:1", moment: 0 }, middle)).toBe(62_500);
  expect(drawPullMs(timings, { image: "other:1", moment: 0 }, middle)).toBe(0);
});

test("a restarted pod still shows the time of its init containers, by its conditions", () => {
  const restarted = aPod(3);
  const spec = { ...restarted.spec, containers: [{ name: "c", image: "web:1" }] };
  const conditions = [
    { type: "PodScheduled", status: "True", lastTransitionTime: "2026-03-01T10:00:00Z" },
    { type: "PodReadyToStartContainers", status: "True", lastTransitionTime: "2026-03-01T10:00:02Z" },
    { type: "Initialized", status: "True", lastTransitionTime: "2026-03-01T10:01:32Z" },
  ] as const;
  const status = { ...restarted.status, conditions: [...conditions] };
  const withInit = { ...restarted, spec: { ...spec, initContainers: [{ name: "i", image: "init:1" }] }, status };
  const draw = (pod: Pod) =>
    drawPodTimes(timingsOf(pictureOf([pod])), { workload: "shop/pod/a", pod, moment: 0 }, middle).startMs;
  expect(draw(withInit) - draw({ ...restarted, spec, status })).toBe(90_000);
});

test("a restarted pod does not show its start time, and the assumed start begins after the probe's delay", () => {
  const timings = timingsOf(pictureOf([aPod(3)]));
  expect(timings.shown).toBe(0);
  const { readyMs } = drawPodTimes(timings, { workload: "shop/pod/a", pod: aPod(3), moment: 0 }, middle);
  expect(readyMs).toBe(20_000 + 5_500);
  expect(drawPullMs(timings, { image: "web:1", moment: 0 }, middle)).toBe(11_000);
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
      restarts: new Map(),
    },
  });
  const timings = timingsOf(picture);
  expect(timings).toMatchObject({ shown: 1, shownStops: 1 });
  expect(timings.pulls.get("web:1")).toEqual([62_500]);
  expect(drawPodTimes(timings, { workload: "shop/pod/b", pod: aPod(0), moment: 0 }, middle)).toEqual({
    startMs: 12_000,
    readyMs: 30_000,
    stopMs: 7_000,
  });
});

test("a few starts predict little about another time, and many starts at many times predict more", () => {
  const few = timingsOf(pictureOf([aPod(0)]));
  const spreadOf = (moments: number) => {
    const byWorkload = new Map([...few.byWorkload].map(([name, times]) => [name, { ...times, moments }]));
    const at = (moment: number) =>
      drawPodTimes({ ...few, byWorkload }, { workload: "shop/pod/a", pod: aPod(0), moment }, middle).startMs;
    return [at(-1), at(1)];
  };
  expect(spreadOf(1)).toEqual([9_346, 15_408]);
  expect(spreadOf(100)).toEqual([11_704, 12_304]);
});

test("a start at a moment unlike the few observed moments takes longer, never less time", () => {
  const few = timingsOf(pictureOf([aPod(0)]));
  const drawnOf = (moments: number, float: number) => {
    const byWorkload = new Map([...few.byWorkload].map(([name, times]) => [name, { ...times, moments }]));
    const pod = { workload: "shop/pod/a", pod: aPod(0), moment: 0 };
    const { startMs, readyMs } = drawPodTimes({ ...few, byWorkload }, pod, { float: () => float });
    return [startMs, readyMs];
  };
  expect(drawnOf(1, 0.6)).toEqual([12_000, 30_000]);
  expect(drawnOf(1, 0.4)).toEqual([12_000 + 2_200, 30_000 + 4_600]);
  expect(drawnOf(100, 0.4)).toEqual([12_000, 30_000]);
});

test("the load of a run is as often high as low, and never excessive", () => {
  let state = 1;
  const random = { float: () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647 };
  const drawn = Array.from({ length: 2_000 }, () => drawMoment(random)).toSorted((a, b) => a - b);
  expect(Math.abs(drawn[1_000] ?? 9)).toBeLessThan(0.1);
  // Student's distribution with three degrees of freedom is 2.35 there, and a normal distribution
  // 1.64.
  expect(drawn[1_900]).toBeGreaterThan(2);
  expect(drawn[1_900]).toBeLessThan(2.7);
  expect([drawn[0], drawn[1_999]].every((each) => Math.abs(each ?? 9) <= 4)).toBe(true);
});

test("an image without a pull event is pulled at the rate of the others, by its size", () => {
  const other = {
    ...pulled,
    message: 'Successfully pulled image "web:1" in 10s (11s including waiting). Image size: 100000000 bytes.',
  };
  const timings = timingsOf(pictureOf([aPod(0), { ...other, kind: "Event" } as Event]));
  expect(timings.pullBytesPerSecond).toBe(10_000_000);
  const known = { ...timings, imageBytes: new Map([["large:1", 500_000_000]]) };
  expect(drawPullMs(known, { image: "large:1", moment: 0 }, middle)).toBe(50_000);
});

test("a pull and a volume attachment in events are not part of the start itself", () => {
  const attached = {
    metadata: { name: "v", namespace: "shop" },
    involvedObject: { uid: "a" },
    reason: "SuccessfulAttachVolume",
    firstTimestamp: "2026-03-01T10:00:04Z",
    kind: "Event",
  } as never;
  const own = {
    ...pulled,
    involvedObject: { uid: "a" },
    message: 'Successfully pulled image "web:1" in 5s. Image size: 5 bytes.',
    kind: "Event",
  } as never;
  const timings = timingsOf(pictureOf([aPod(0), attached, own]));
  expect(timings.attachMs).toEqual([4_000]);
  expect(timings.byWorkload.get("shop/pod/a")?.startMs).toEqual([3_000]);
});

test("a container with occasional restarts fails at that rate", () => {
  const ready = aPod(2);
  const old = { ...ready, status: { ...ready.status, startTime: "2026-03-01T09:00:00Z" } };
  const timings = timingsOf(pictureOf([old]));
  // 1 h 0 min 42 s, with two restarts.
  expect(timings.crashing.get("shop/pod/a c")).toBe(1_821_000);
  expect(drawCrashMs(timings, "shop/pod/a c", middle)).toBe(Math.round(1_821_000 * Math.log(2)));
  expect(drawCrashMs(timings, "shop/pod/a d", middle)).toBeUndefined();
});

test("Kubernetes needs one more check to set the taint, and detects a silence up to two checks late", () => {
  const at = (...values: number[]) => drawLookMs({ float: () => values.shift() ?? 0 });
  expect([at(0, 0.9), at(0.5, 0.9), at(0.999_999, 0)]).toEqual([5_000, 7_500, 15_000]);
});
