import "./style.css";
import "./player.css";
import "./playground.css";
import { systemClock } from "@kintsugi/clock";
import type { PlayAnswer, SimulatorRequest } from "@kintsugi/story";
import { render } from "preact";
import { writePlayAddress } from "./model/playground/play-address.ts";
import { simulateInTab } from "./articles/simulator.ts";
import { lateWorker } from "./data/late-worker.ts";
import { preparedRun } from "./data/prepared-runs.ts";
import { createModes } from "./state/games/modes.ts";
import { createRace } from "./state/games/race.ts";
import { createSurvival } from "./state/games/survival.ts";
import { createLessonPlay, type ProgressStorage } from "./state/lesson-play.ts";
import { createPlayground } from "./state/playground.ts";
import { keepFocus } from "./views/keep-focus.ts";
import { PlaygroundApp } from "./views/playground/playground-app.tsx";

/** Time in which the page draws its first run. */
const firstRunMs = 1_000;

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for its content");
// The worker's program is a separate bundle in this page's folder.
const worker = lateWorker<SimulatorRequest, PlayAnswer>(
  () => new Worker(new URL("simulator.js", document.baseURI), { type: "module" }),
);
const playground = createPlayground({
  worker,
  onRequest: () => history.replaceState(null, "", addressAt(undefined)),
  // oxlint-disable-next-line no-restricted-globals -- the browser's own client: ours is Node's
  prepared: (request) => preparedRun(request, (path) => fetch(new URL(path, document.baseURI))),
});
const storage = storageOfTab();
const modes = createModes({
  playground,
  play: createLessonPlay(playground, storage),
  race: createRace(playground, simulateInTab),
  survival: createSurvival(playground, storage),
  nowMs: () => systemClock.nowMs(),
});
// Another opponent has another address.
modes.race.settings.subscribe(() => {
  if (playground.request.peek() !== undefined) history.replaceState(null, "", addressAt(undefined));
});
addEventListener("hashchange", () => modes.open(location.hash));
root.replaceChildren();
keepFocus(root, new AbortController().signal);
render(<PlaygroundApp modes={modes} addressAt={addressAt} />, root);
modes.open(location.hash);
startWorkerAfterFirstRun();

/**
 * Loads the worker's program once the page has shown a run that was prepared, so that the first
 * change does not wait for the program. A page without a run needs the program at once.
 */
function startWorkerAfterFirstRun(): void {
  if (playground.request.peek() === undefined) {
    worker.start();
    return;
  }
  playground.played.subscribe((run) => {
    if (run !== undefined) systemClock.after(firstRunMs, () => worker.start());
  });
}

/** The address of the shown content. */
function addressAt(atMs: number | undefined): string {
  const request = playground.request.peek();
  if (request === undefined) return location.hash;
  const rival = modes.race.settings.peek();
  const seed = modes.survival.seed.peek();
  return writePlayAddress(request, { atMs, rival, seed });
}

/** A tab without storage can play lessons too. */
function storageOfTab(): ProgressStorage {
  try {
    return localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}
