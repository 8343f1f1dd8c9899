import type { AddedCommand, PlayRequest } from "@kintsugi/story";
import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Playground } from "../playground.ts";
import { createSurvival } from "./survival.ts";

const [toMs, wantedMs] = [1_200_000, 600_000];

/** A run at its end, with 10 pods of web, which wants fewer pods from a time on. */
function runOf(request: PlayRequest, wanted = 12) {
  const samples = [
    { atMs: 0, available: 10, ready: 12, wanted: 12 },
    { atMs: wantedMs, available: Math.min(wanted, 10), ready: wanted, wanted },
  ];
  const recording = { fromMs: 0, toMs, pods: [{ workload: "web", samples }] };
  return { request, recording: { player: { recording, atMs: signal(toMs) }, page: { hidesFuture: signal(false) } } };
}

function gameOf() {
  const request = signal<PlayRequest | undefined>(undefined);
  const played = signal<ReturnType<typeof runOf> | undefined>(undefined);
  const play = (asked: PlayRequest) => (request.value = asked);
  const survival = createSurvival({ request, played, play } as unknown as Playground, {
    getItem: () => null,
    setItem: () => {},
  });
  const answer = (wanted?: number) => {
    if (request.value !== undefined) played.value = runOf(request.value, wanted);
  };
  return { survival, answer, play };
}

const command: AddedCommand = { atMs: 60_000, text: "delete node node-2" };

test("a run that the page shows while the game's run is simulated has no score", () => {
  const { survival, answer, play } = gameOf();
  play({ scenario: "node-dead", faults: [], settings: [] });
  answer();
  survival.begin(7);
  expect(survival.score.value).toBeUndefined();
  expect(survival.isOver.value).toBe(false);
  expect(survival.best.value).toEqual({});
  answer();
  expect(survival.isOver.value).toBe(true);
  expect(survival.best.value).toEqual({ 7: toMs });
  survival.begin(7);
  expect(survival.isOver.value).toBe(false);
  survival.begin(8);
  expect(survival.best.value).toEqual({ 7: toMs });
});

test("the score without a command is kept for the seed, and is not that of another seed", () => {
  const { survival, answer, play } = gameOf();
  survival.open(7, [command], undefined);
  answer();
  expect(survival.untouchedMs.value).toBeUndefined();
  survival.begin(7);
  answer();
  expect(survival.untouchedMs.value).toBe(toMs);
  play({ scenario: "node-dead", faults: [], settings: [], commands: [command] });
  answer();
  expect(survival.untouchedMs.value).toBe(toMs);
  survival.begin(8);
  expect(survival.untouchedMs.value).toBeUndefined();
});

test("a player who asks for fewer pods does not improve the score", () => {
  const { survival, answer } = gameOf();
  survival.begin(7);
  answer(1);
  expect(survival.score.value).toEqual({ degradedMs: toMs, downMs: 0 });
});

test("the run of an address counts as the player's own after the player's first command", () => {
  const { survival, answer, play } = gameOf();
  survival.open(7, [command], { atMs: toMs, isPlaying: false });
  answer();
  expect(survival.isShared.value).toBe(true);
  expect(survival.commands.value).toEqual([command]);
  expect(survival.best.value).toEqual({});
  play({ scenario: "node-dead", faults: [], settings: [], commands: [command, { ...command, atMs: 90_000 }] });
  answer();
  expect(survival.isShared.value).toBe(false);
  expect(survival.best.value).toEqual({ 7: toMs });
});
