import "./style.css";
import { systemClock } from "@kintsugi/clock";
import type { StoryRecording } from "@kintsugi/story";
import { render } from "preact";
import { type Api, RequestRefused } from "./data/api.ts";
import { Cluster } from "./state/cluster.ts";
import { createPage } from "./state/page.ts";
import { Player } from "./state/player.ts";
import { PlayerApp } from "./views/player-app.tsx";

/** A whole recording is watched in about this time, unless that is slower than life. */
const watchMs = 60_000;

const refusal = new RequestRefused(0, "a recording has no server");
/** A recording asks no server for anything. */
const nothing: Api = {
  get: () => Promise.reject(refusal),
  // oxlint-disable-next-line require-yield -- it refuses
  async *lines() {
    throw refusal;
  },
  // oxlint-disable-next-line require-yield -- it refuses
  async *text() {
    throw refusal;
  },
};

const root = document.getElementById("app");
const data = document.getElementById("recording")?.textContent;
if (root === null || data === undefined) throw new Error("the page has no recording");
const recording = JSON.parse(data) as StoryRecording;
const { clusterName, profile, timers, fromMs, toMs, hasObjects } = recording;
let playheadMs = fromMs;
const settings = { clusterName, profile, skewMs: 0, ...(timers === undefined ? {} : { timers }) };
const cluster = new Cluster({ nowMs: () => playheadMs }, settings);
const speed = [1, 2, 5, 10, 30].find((each) => (toMs - fromMs) / each <= watchMs) ?? 60;
const player = new Player(recording, cluster, { speed });
player.atMs.subscribe((atMs) => (playheadMs = atMs));
player.seek(fromMs);
const page = createPage({ cluster, api: nothing, clock: systemClock, recorded: { hasObjects } });
root.replaceChildren();
render(<PlayerApp page={page} player={player} />, root);

let drawnMs = systemClock.monotonicMs();
function frame(): void {
  const timeMs = systemClock.monotonicMs();
  player.advance(timeMs - drawnMs);
  drawnMs = timeMs;
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
await page.run(new AbortController().signal);
