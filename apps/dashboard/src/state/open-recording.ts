import { systemClock } from "@kintsugi/clock";
import type { StoryRecording } from "@kintsugi/story";
import { type Api, RequestRefused } from "../data/api.ts";
import { Cluster } from "./cluster.ts";
import { createPage, type DashboardPage } from "./page.ts";
import { Player } from "./player.ts";

/** A whole recording plays in about this time, unless real time is faster. */
const watchMs = 60_000;

const refusal = new RequestRefused(0, "a recording has no server");
/** A recording does not send requests to a server. */
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

/** A recording that can be played. */
export interface OpenRecording {
  readonly page: DashboardPage;
  readonly player: Player;
  /** Draws and plays until the signal aborts. */
  run(stop: AbortSignal): Promise<void>;
}

/** Makes a page and a player of a recording, with the playhead at its beginning. */
export function openRecording(recording: StoryRecording): OpenRecording {
  const { clusterName, isSimulated, profile, timers, fromMs, toMs, hasObjects } = recording;
  let playheadMs = fromMs;
  const settings = {
    clusterName,
    ...(isSimulated === true ? { way: "command-bar" as const } : {}),
    profile,
    skewMs: 0,
    ...(timers === undefined ? {} : { timers }),
  };
  const cluster = new Cluster({ nowMs: () => playheadMs }, settings);
  const speed = [1, 2, 5, 10, 30].find((each) => (toMs - fromMs) / each <= watchMs) ?? 60;
  const player = new Player(recording, cluster, { speed });
  player.atMs.subscribe((atMs) => (playheadMs = atMs));
  player.seek(fromMs);
  const recorded = {
    hasObjects,
    run: { fromMs, toMs },
    ...(recording.pods === undefined ? {} : { pods: recording.pods }),
    ...(recording.faults === undefined ? {} : { faults: recording.faults }),
    seek: (atMs: number) => player.seek(atMs),
  };
  const page = createPage({ cluster, api: nothing, clock: systemClock, recorded });
  return {
    page,
    player,
    async run(stop) {
      let drawnMs = systemClock.monotonicMs();
      const frame = () => {
        if (stop.aborted) return;
        const timeMs = systemClock.monotonicMs();
        player.advance(timeMs - drawnMs);
        drawnMs = timeMs;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      await page.run(stop);
    },
  };
}
