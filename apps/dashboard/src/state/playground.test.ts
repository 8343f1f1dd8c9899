import type { PlayAnswer, PlayRequest, SimulatorRequest, StoryRecording } from "@kintsugi/story";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WorkerPart } from "../data/late-worker.ts";
import { createRace } from "./games/race.ts";
import { createPlayground } from "./playground.ts";

// The tests draw nothing, and no time passes by itself.
beforeEach(() => void vi.stubGlobal("requestAnimationFrame", () => 0));
afterEach(() => void vi.unstubAllGlobals());

const fromMs = 1_000_000;
const request: PlayRequest = { scenario: "node-dead", faults: [], settings: [] };
const changed: PlayRequest = { ...request, settings: ["profile=fast"] };

function played(lengthMs: number): Extract<PlayAnswer, { is: "played" }> {
  const recording: StoryRecording = {
    title: "",
    description: "",
    clusterName: "node-dead",
    profile: "default",
    fromMs,
    toMs: fromMs + lengthMs,
    steps: [],
    changes: [],
    hasObjects: true,
    captions: [],
  };
  return { is: "played", recording, digest: String(lengthMs), tookMs: 1 };
}

/** A playground whose worker's answers the test sends. */
async function playgroundWith(lengthMs: number) {
  const asked: SimulatorRequest[] = [];
  const worker: WorkerPart<SimulatorRequest, PlayAnswer> = {
    postMessage: (message) => asked.push(message),
    onmessage: null,
    onerror: null,
  };
  const playground = createPlayground({ worker, onRequest: () => {}, prepared: () => Promise.resolve(undefined) });
  playground.play(request);
  await vi.waitFor(() => expect(asked.length).toBe(1));
  playground.hear(played(lengthMs));
  const player = () => {
    const { value: run } = playground.played;
    if (run === undefined) throw new Error("there is no run");
    return run.recording.player;
  };
  return {
    playground,
    asked,
    player,
    /** The playhead's time since the beginning, in seconds. */
    atSeconds: () => (player().atMs.value - fromMs) / 1000,
  };
}

test("a changed setting keeps the playhead, which pauses until the new run is there", async () => {
  const { playground, player, atSeconds } = await playgroundWith(600_000);
  expect(atSeconds()).toBe(0);
  player().seek(fromMs + 95_000);
  player().isPlaying.value = true;
  playground.change(changed);
  expect(player().isPlaying.value).toBe(false);
  playground.hear(played(500_000));
  expect(atSeconds()).toBe(95);
  expect(player().isPlaying.value).toBe(true);
});

test("the playhead is clipped to the new run's length, and one at the end stays at the end", async () => {
  const { playground, player, atSeconds } = await playgroundWith(600_000);
  player().seek(fromMs + 500_000);
  playground.change(changed);
  playground.hear(played(400_000));
  expect(atSeconds()).toBe(400);
  playground.change(request);
  playground.hear(played(600_000));
  expect(atSeconds()).toBe(600);
  expect(player().isPlaying.value).toBe(false);
});

test("another run is shown from its beginning", async () => {
  const { playground, player, atSeconds } = await playgroundWith(600_000);
  player().seek(fromMs + 95_000);
  playground.play({ ...request, scenario: "zone-lost" });
  playground.hear(played(600_000));
  expect(atSeconds()).toBe(0);
});

test("a fault begins at the playhead, where the run continues", async () => {
  const { playground, player, atSeconds } = await playgroundWith(600_000);
  player().seek(fromMs + 65_000);
  playground.add({ fault: "kill-node", node: "node-1" });
  expect(playground.request.value?.faults).toEqual([{ fault: "kill-node", node: "node-1", atMs: 65_000 }]);
  playground.hear(played(600_000));
  expect(atSeconds()).toBe(65);
  expect(player().isPlaying.value).toBe(true);
});

test("both runs of a race have the same faults, and each is named by its difference", async () => {
  const { playground, player } = await playgroundWith(600_000);
  const simulated: PlayRequest[] = [];
  const race = createRace(playground, (wanted, onProgress) => {
    simulated.push(wanted);
    onProgress(0.5);
    return Promise.resolve(played(600_000));
  });
  await race.run(["profile=fast"]);
  expect(race.racers.value.map(({ name }) => name)).toEqual(["with Kintsugi's default timers", "with fast timers"]);
  expect(race.simulated.value).toBe(0.5);
  player().seek(fromMs + 65_000);
  playground.add({ fault: "kill-node", node: "node-1" });
  playground.hear(played(600_000));
  await vi.waitFor(() => expect(race.racers.value.length).toBe(2));
  expect(simulated).toEqual([
    { ...request, settings: ["profile=fast"] },
    { ...request, faults: [{ fault: "kill-node", node: "node-1", atMs: 65_000 }], settings: ["profile=fast"] },
  ]);
  await race.run([]);
  expect(race.racers.value).toEqual([]);
});
