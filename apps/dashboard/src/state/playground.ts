import type {
  AddedFault,
  PlayableScenario,
  PlayAnswer,
  PlayRequest,
  RehearseRequest,
  SimulatorRequest,
} from "@kintsugi/story";
import { type Signal, signal } from "@preact/signals";
import { createCommandBar } from "./command-bar.ts";
import { openRecording, type OpenRecording } from "./open-recording.ts";

/** The part of a browser's worker that the playground uses. */
export interface SimulatingWorker {
  postMessage(request: SimulatorRequest): void;
  onmessage: ((event: MessageEvent<PlayAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** The run on the page. */
export interface Played {
  readonly recording: OpenRecording;
  readonly nodes: readonly string[];
  readonly digest: string;
  readonly failure: string | undefined;
  readonly tookMs: number;
}

export type Playground = ReturnType<typeof createPlayground>;

/**
 * The state of the playground. A fault that the viewer adds at the playhead is simulated from the
 * beginning: the same scenario simulates the same past, so that only the future changes, and
 * the playhead goes on where it stood. The same holds for a command that changes the cluster.
 * @param onRequest called with each request that is simulated, to keep it in the address
 */
export function createPlayground(worker: SimulatingWorker, onRequest: (request: PlayRequest) => void) {
  const run = createRun(worker, onRequest);
  const { request, refusal, isBusy, report, play } = run;
  const bar = createCommandBar({
    moment: () => momentOf(run),
    post: (message) => worker.postMessage(message),
    change: (command) => {
      const { value: before } = request;
      if (before !== undefined) play({ ...before, commands: [...(before.commands ?? []), command] }, command.atMs);
    },
  });
  worker.onmessage = ({ data }) => {
    if (data.is === "told" || data.is === "completed") bar.hear(data);
    else run.hear(data);
  };
  worker.onerror = ({ message }) => {
    isBusy.value = false;
    refusal.value = `The simulation has ended: ${message || "its program cannot be loaded"}`;
  };
  return {
    ...run,
    bar,
    /** Rehearses an example cluster. */
    rehearse(wanted: RehearseRequest): void {
      [report.value, refusal.value] = [undefined, ""];
      isBusy.value = true;
      worker.postMessage(wanted);
    },
    /** Adds a fault at the playhead. */
    add(fault: Omit<AddedFault, "atMs">): void {
      const { value: before } = request;
      const atMs = playheadMs(run);
      if (atMs === undefined || before === undefined) return;
      play({ ...before, faults: [...before.faults, { ...fault, atMs }] }, atMs);
    },
  };
}

/** The run on the page, and the request that it comes from. */
function createRun(worker: SimulatingWorker, onRequest: (request: PlayRequest) => void) {
  const scenarios = signal<readonly PlayableScenario[]>([]);
  const request = signal<PlayRequest | undefined>(undefined);
  const played = signal<Played | undefined>(undefined);
  const refusal = signal("");
  const isBusy = signal(true);
  /** The lines of the last rehearsal's report. */
  const report = signal<readonly string[] | undefined>(undefined);
  let first: PlayRequest | undefined;
  let goOnMs: number | undefined;
  let stop = new AbortController();

  const play = (wanted: PlayRequest, fromMs?: number) => {
    request.value = wanted;
    goOnMs = fromMs;
    refusal.value = "";
    if (scenarios.value.length === 0) {
      first = wanted;
      return;
    }
    isBusy.value = true;
    onRequest(wanted);
    worker.postMessage(wanted);
  };

  const hear = (data: Exclude<PlayAnswer, { is: "told" | "completed" }>) => {
    isBusy.value = false;
    switch (data.is) {
      case "ready":
        scenarios.value = data.scenarios;
        if (first !== undefined) play(first);
        return;
      case "refused":
        refusal.value = data.because;
        return;
      case "rehearsed":
        report.value = data.lines;
        return;
      case "played": {
        stop.abort();
        stop = new AbortController();
        played.value = openRun(data, goOnMs);
        void played.value.recording.run(stop.signal);
      }
    }
  };
  return { scenarios, request, played, refusal, isBusy, report, play, hear };
}

/** The playhead's time since the beginning. */
function playheadMs({ played }: Pick<RunOnPage, "played">): number | undefined {
  const player = played.value?.recording.player;
  return player && Math.round(player.atMs.value - player.recording.fromMs);
}

interface RunOnPage {
  readonly played: Signal<Played | undefined>;
  readonly request: Signal<PlayRequest | undefined>;
  readonly isBusy: Signal<boolean>;
}

/**
 * The request and the playhead's time since the beginning, which commands are run at. The run
 * stands still from then on.
 */
function momentOf({ played, request, isBusy }: RunOnPage): { request: PlayRequest; atMs: number } | undefined {
  const [run, before, atMs] = [played.value, request.value, playheadMs({ played })];
  if (run === undefined || before === undefined || atMs === undefined || isBusy.value) return undefined;
  run.recording.player.isPlaying.value = false;
  return { request: before, atMs };
}

/** @param goOnMs the playhead's time since the beginning; undefined is at the beginning */
function openRun(data: Extract<PlayAnswer, { is: "played" }>, goOnMs: number | undefined): Played {
  const recording = openRecording(data.recording);
  if (goOnMs !== undefined) recording.player.seek(recording.player.recording.fromMs + goOnMs);
  recording.player.isPlaying.value = goOnMs !== undefined;
  const { digest, failure, tookMs } = data;
  return { recording, nodes: nodesOf(data.recording), digest, failure, tookMs };
}

function nodesOf({ changes }: OpenRecording["player"]["recording"]): string[] {
  const names = changes
    .filter(({ kind, is }) => kind === "nodes" && is === "put")
    .map(({ object }) => (object as { metadata: { name: string } }).metadata.name);
  return [...new Set(names)].toSorted();
}
