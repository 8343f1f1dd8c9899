import type { StoryRecording } from "@kintsugi/story";
import { signal, type Signal } from "@preact/signals";
import type { ReadKind } from "../data/kinds.ts";
import type { Cluster } from "./cluster.ts";

/** Virtual milliseconds that pass in a real millisecond. */
export const speeds = [1, 2, 5, 10, 30, 60] as const;

/** A tab in the background does not get frames, so it continues where it stopped. */
const frameMsMax = 250;

/** Plays a recording: feeds its steps and objects to the cluster as the playhead passes them. */
export class Player {
  readonly recording: StoryRecording;
  readonly isPlaying: Signal<boolean> = signal(false);
  readonly speed: Signal<number>;
  /** The playhead, for texts; it changes with every frame. */
  readonly atMs: Signal<number>;
  readonly #cluster: Cluster;
  #nextStep = 0;
  #nextChange = 0;

  constructor(recording: StoryRecording, cluster: Cluster, options: { speed: number }) {
    this.recording = recording;
    this.#cluster = cluster;
    this.speed = signal(options.speed);
    this.atMs = signal(recording.fromMs);
  }

  /**
   * Moves the cluster to a time of the recording; a time outside of the recording becomes its first
   * or last time.
   */
  seek(atMs: number): void {
    const { fromMs, toMs } = this.recording;
    const wantedMs = Math.min(Math.max(atMs, fromMs), toMs);
    if (wantedMs < this.atMs.value || this.#nextStep + this.#nextChange === 0) {
      this.#cluster.clear();
      this.#nextStep = 0;
      this.#nextChange = 0;
    }
    this.atMs.value = wantedMs;
    this.#feed(wantedMs);
  }

  /** Advances by the time between two frames. */
  advance(frameMs: number): void {
    if (!this.isPlaying.value) return;
    this.seek(this.atMs.value + Math.min(frameMs, frameMsMax) * this.speed.value);
    if (this.atMs.value >= this.recording.toMs) this.isPlaying.value = false;
  }

  /** Plays or pauses; at its end the recording starts again from the beginning. */
  toggle(): void {
    if (!this.isPlaying.value && this.atMs.value >= this.recording.toMs) this.seek(this.recording.fromMs);
    this.isPlaying.value = !this.isPlaying.value;
  }

  /** A step precedes the object that it changed, as in the running cluster. */
  #feed(untilMs: number): void {
    const { steps, changes } = this.recording;
    for (;;) {
      const step = steps[this.#nextStep];
      const change = changes[this.#nextChange];
      const stepMs = step === undefined ? Infinity : step.timeMs;
      const changeMs = change === undefined ? Infinity : change.atMs;
      if (Math.min(stepMs, changeMs) > untilMs) return;
      if (step !== undefined && stepMs <= changeMs && !this.#isFirst(changeMs)) {
        this.#cluster.applySteps([step]);
        this.#nextStep++;
      } else if (change !== undefined) {
        // The steps do not include the past of the initial objects, which show it themselves.
        this.#cluster.hasTimeline = !this.#isFirst(changeMs);
        const kind = change.kind as ReadKind;
        if (change.is === "put") this.#cluster.put(kind, change.object as never);
        else this.#cluster.remove(kind, change.object as never);
        this.#nextChange++;
      } else return;
    }
  }

  /** The initial objects precede all steps. */
  #isFirst(changeMs: number): boolean {
    return changeMs <= this.recording.fromMs;
  }
}
