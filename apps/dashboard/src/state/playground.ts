import type {
  AddedFault,
  PlayableScenario,
  PlayAnswer,
  PlayRequest,
  RehearseRequest,
  SimulatorRequest,
} from "@kintsugi/story";
import { type Signal, signal } from "@preact/signals";
import type { WorkerPart } from "../data/late-worker.ts";
import type { PlayedAnswer } from "../data/prepared-runs.ts";
import { createCommandBar } from "./command-bar.ts";
import { openRecording, type OpenRecording } from "./open-recording.ts";

/** The parts of the browser that the playground uses. */
export interface PlaygroundDeps {
  readonly worker: WorkerPart<SimulatorRequest, PlayAnswer>;
  /** Called with each shown request, to write it into the address. */
  readonly onRequest: (request: PlayRequest) => void;
  /** Finds a run that was simulated when the page was built. */
  readonly prepared: (request: PlayRequest) => Promise<PlayedAnswer | undefined>;
}

/** The run on the page. */
export interface Played {
  readonly recording: OpenRecording;
  readonly request: PlayRequest | undefined;
  readonly nodes: readonly string[];
  readonly digest: string;
  readonly failure: string | undefined;
  readonly tookMs: number;
  /** True if the run was simulated when the page was built. */
  readonly isPrepared: boolean;
}

/** The moment at which a run opens. */
export interface RunStart {
  /** Milliseconds since the beginning. */
  readonly atMs: number;
  readonly isPlaying: boolean;
}

export type Playground = ReturnType<typeof createPlayground>;

/**
 * The state of the playground. A fault that the viewer adds at the playhead is simulated from the
 * beginning: the same scenario simulates the same past, so that only the future changes, and the
 * playhead continues from its position. The same applies to a command that changes the cluster.
 */
export function createPlayground(deps: PlaygroundDeps) {
  const { worker } = deps;
  const run = createRun(deps);
  const { request, refusal, isBusy, report, play } = run;
  const bar = createCommandBar({
    moment: () => momentOf(run),
    post: (message) => worker.postMessage(message),
    change: (command) => {
      const { value: before } = request;
      if (before !== undefined)
        play({ ...before, commands: [...(before.commands ?? []), command] }, { atMs: command.atMs, isPlaying: true });
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
    /**
     * Simulates the run with another setting. The playhead stays where it is, so that the viewer
     * sees the effect; at the end it stays at the end, however long the new run is. The run of a
     * lesson begins with `play`, at 0 s: its prediction comes before its truth.
     */
    change(wanted: PlayRequest): void {
      play(wanted, pausedStart(run));
    },
    /** Adds a fault at the playhead. */
    add(fault: Omit<AddedFault, "atMs">): void {
      const moment = momentOf(run);
      if (moment === undefined) return;
      const { request: before, atMs } = moment;
      play({ ...before, faults: [...before.faults, { ...fault, atMs }] }, { atMs, isPlaying: true });
    },
  };
}

/** The run on the page, and the request for it. */
function createRun({ worker, onRequest, prepared }: PlaygroundDeps) {
  const scenarios = signal<readonly PlayableScenario[]>([]);
  const request = signal<PlayRequest | undefined>(undefined);
  const played = signal<Played | undefined>(undefined);
  const refusal = signal("");
  const isBusy = signal(true);
  /** The simulated part of the run, 0 to 1; undefined before it is known. */
  const simulated = signal<number | undefined>(undefined);
  /** The lines of the last rehearsal's report. */
  const report = signal<readonly string[] | undefined>(undefined);
  let start: RunStart | undefined;
  let stop = new AbortController();
  /** Counts the requests, so that a prepared run that arrives late is not shown. */
  let turn = 0;

  const play = (wanted: PlayRequest, from?: RunStart) => {
    request.value = wanted;
    start = from;
    refusal.value = "";
    isBusy.value = true;
    simulated.value = undefined;
    onRequest(wanted);
    const own = ++turn;
    void prepared(wanted).then((answer) => {
      if (own !== turn) return;
      // The worker keeps the request until its program is loaded.
      if (answer === undefined) worker.postMessage(wanted);
      else hear(answer, true);
    });
  };

  const hear = (data: Exclude<PlayAnswer, { is: "told" | "completed" }>, isPrepared = false) => {
    if (data.is === "simulated") {
      simulated.value = data.part;
      return;
    }
    if (data.is === "ready") {
      scenarios.value = data.scenarios;
      // A rehearsal does not need a run on the page.
      if (request.peek() === undefined) isBusy.value = false;
      return;
    }
    isBusy.value = false;
    switch (data.is) {
      case "refused":
        refusal.value = data.because;
        return;
      case "rehearsed":
        report.value = data.lines;
        return;
      case "played": {
        stop.abort();
        stop = new AbortController();
        played.value = { ...openRun(data, { start, isPrepared }), request: request.peek() };
        void played.value.recording.run(stop.signal);
      }
    }
  };
  return { scenarios, request, played, refusal, isBusy, simulated, report, play, hear };
}

/**
 * The playhead of the shown run, at which the next run opens. The shown run pauses, so that the
 * playhead does not jump back when the next run is simulated.
 */
function pausedStart({ played }: Pick<RunOnPage, "played">): RunStart | undefined {
  const player = played.value?.recording.player;
  if (player === undefined) return undefined;
  const { atMs, isPlaying, recording } = player;
  const start = {
    atMs: atMs.value >= recording.toMs ? Infinity : atMs.value - recording.fromMs,
    isPlaying: isPlaying.value,
  };
  isPlaying.value = false;
  return start;
}

interface RunOnPage {
  readonly played: Signal<Played | undefined>;
  readonly request: Signal<PlayRequest | undefined>;
  readonly isBusy: Signal<boolean>;
}

/**
 * The request and the playhead's time since the beginning, at which commands are run and faults
 * begin. The run pauses at that time.
 */
function momentOf({ played, request, isBusy }: RunOnPage): { request: PlayRequest; atMs: number } | undefined {
  const player = played.value?.recording.player;
  if (player === undefined || request.value === undefined || isBusy.value) return undefined;
  player.isPlaying.value = false;
  return { request: request.value, atMs: Math.round(player.atMs.value - player.recording.fromMs) };
}

function openRun(
  data: PlayedAnswer,
  { start, isPrepared }: { start: RunStart | undefined; isPrepared: boolean },
): Omit<Played, "request"> {
  const recording = openRecording(data.recording);
  if (start !== undefined) recording.player.seek(recording.player.recording.fromMs + start.atMs);
  recording.player.isPlaying.value = start?.isPlaying ?? false;
  const { digest, failure, tookMs } = data;
  return { recording, nodes: nodesOf(data.recording), digest, failure, tookMs, isPrepared };
}

function nodesOf({ changes }: OpenRecording["player"]["recording"]): string[] {
  const names = changes
    .filter(({ kind, is }) => kind === "nodes" && is === "put")
    .map(({ object }) => (object as { metadata: { name: string } }).metadata.name);
  return [...new Set(names)].toSorted();
}
