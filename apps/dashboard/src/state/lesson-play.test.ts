import { lessons, requestOf } from "@kintsugi/story";
import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { createLessonPlay } from "./lesson-play.ts";
import type { Playground } from "./playground.ts";

/** A run of ten minutes in which web lacks a pod for a time. */
function runWith(degradedMs: number) {
  const [fromMs, toMs] = [0, 600_000];
  const samples = [
    { atMs: 0, available: 6, ready: 6, wanted: 6 },
    { atMs: 60_000, available: 4, ready: 6, wanted: 6 },
    { atMs: 60_000 + degradedMs, available: 6, ready: 6, wanted: 6 },
  ];
  const recording = { fromMs, toMs, pods: [{ workload: "web", samples }] };
  return { recording: { player: { recording, atMs: signal(toMs) }, page: { hidesFuture: signal(false) } } };
}

function playgroundOf(lesson: (typeof lessons)[number]) {
  return {
    played: signal<ReturnType<typeof runWith> | undefined>(undefined),
    request: signal(requestOf(lesson)),
    isBusy: signal(false),
    report: signal(undefined),
    play: () => {},
  };
}

test("the run is watched until its end, and the prediction's truth is that of the lesson's run, not of a changed run", () => {
  const [lesson] = lessons;
  if (lesson === undefined) throw new Error("there is no lesson");
  const playground = playgroundOf(lesson);
  const play = createLessonPlay(playground as unknown as Playground, { getItem: () => null, setItem: () => {} });
  play.begin(lesson);
  expect(play.isWatching.value).toBe(false);
  play.guess.value = 60;
  expect(play.verdict.value).toBeUndefined();
  expect(play.isWatching.value).toBe(true);
  playground.played.value = runWith(349_000);
  expect(play.verdict.value).toEqual({ isRight: false, truth: 349 });
  expect(play.isWatching.value).toBe(false);
  playground.played.value = runWith(60_000);
  expect(play.verdict.value).toEqual({ isRight: false, truth: 349 });
  play.begin(lesson);
  expect(play.verdict.value).toBeUndefined();
});
