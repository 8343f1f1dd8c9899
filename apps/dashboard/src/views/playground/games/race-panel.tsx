import { shortagesOf, type StoryRecording } from "@kintsugi/story";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { axisHeight } from "../../../drawing/layout.ts";
import { paintAxis } from "../../../drawing/paint.ts";
import { aboveLanes, paintPods } from "../../../drawing/paint-pods.ts";
import { scaleOfRun } from "../../../drawing/scale.ts";
import { podsUntil } from "../../../drawing/pods-until.ts";
import { type Choice, differenceText, ownDifferenceText } from "../../../model/playground/setting-words.ts";
import { lengthText } from "../../../model/words.ts";
import { degradedUntil, type Race, type Racer } from "../../../state/games/race.ts";
import { historyOf } from "../../../state/pod-history.ts";
import type { Playground } from "../../../state/playground.ts";
import { paletteOf } from "../../picture/picture.ts";

interface RacePanelProps {
  readonly playground: Playground;
  readonly race: Race;
}

/** Suggested opponents; an address may name any other setting. */
const opponents = [
  "profile=fast",
  "profile=default",
  "profile=kubernetes",
  "timers.pod-eviction-timeout=0s",
  "timers.node-monitor-grace-period=20s",
];

/**
 * The replacements of a lost node or zone wait for the return of the node or zone, because an even
 * spread needs it.
 */
const [spreadOverNodes, spreadOverZones] = ["workloads.web.spread=node", "workloads.web.spread=zone"];

/** A run does not race against itself. */
function opponentsOf({ request, played }: Playground): readonly Choice[] {
  const hasZones = request.value?.scenario.includes("zone") === true;
  const recording = played.value?.recording.player.recording;
  const own = { request: request.value, recording: recording ?? { profile: "default" } };
  return [...opponents, hasZones ? spreadOverZones : spreadOverNodes]
    .filter((each) => ownDifferenceText(each, own) !== differenceText(each))
    .map((each) => [each, differenceText(each)]);
}

/** Two runs of the same faults side by side, with one playhead. */
export function RacePanel({ playground, race }: RacePanelProps) {
  const { value: settings } = race.settings;
  const { value: racers } = race.racers;
  const chosen = settings.join(" ");
  const offered = opponentsOf(playground);
  return (
    <section class="race" aria-label="Race">
      <label>
        Race this run against the same run{" "}
        <select
          value={chosen}
          disabled={playground.isBusy.value || race.isBusy.value}
          onChange={({ currentTarget: { value } }) => void race.run(value === "" ? [] : value.split(" "))}
        >
          <option value="">(choose a difference)</option>
          {offered.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {chosen !== "" && offered.every(([value]) => value !== chosen) && (
            <option value={chosen}>{settings.map(differenceText).join(" and ")}</option>
          )}
        </select>
      </label>
      {race.isBusy.value && <progress aria-label="The second run is simulated" value={race.simulated.value} />}
      {race.refusal.value !== "" && (
        <p class="refusal" role="status">
          {race.refusal.value}
        </p>
      )}
      {racers.map((racer) => (
        <RacerRow key={racer.name} racer={racer} playground={playground} />
      ))}
      {racers.length === 2 && <Result racers={racers} playground={playground} />}
    </section>
  );
}

/** The playhead's time since the beginning. */
function passedMs({ played }: Playground): number {
  const player = played.value?.recording.player;
  return player === undefined ? 0 : player.atMs.value - player.recording.fromMs;
}

function RacerRow({ racer, playground }: { racer: Racer; playground: Playground }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  const passed = passedMs(playground);
  // Read here, so that another width draws the run again.
  const { value: drawnWidth } = width;
  const degraded = lengthText(degradedUntil(racer.recording, passed));
  useEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => (width.value = current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [width]);
  const hidesFuture = playground.played.value?.recording.page.hidesFuture.value === true;
  useEffect(() => {
    if (canvas.current !== null) drawRun(canvas.current, racer.recording, { passed, width: drawnWidth, hidesFuture });
  });
  return (
    <figure>
      <figcaption>
        <strong>The run {racer.name}</strong> <span class="muted">degraded for</span> <output>{degraded}</output>
      </figcaption>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Pods over time of the run ${racer.name}: degraded for ${degraded}`}
      />
    </figure>
  );
}

interface RunView {
  readonly passed: number;
  readonly width: number;
  readonly hidesFuture: boolean;
}

function drawRun(canvas: HTMLCanvasElement, recording: StoryRecording, { passed, width, hidesFuture }: RunView): void {
  const context = canvas.getContext("2d");
  if (context === null || width === 0) return;
  const { fromMs, toMs, pods = [], faults = [] } = recording;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(aboveLanes * ratio)];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = "middle";
  const nowMs = Math.min(toMs, fromMs + passed);
  const whole = historyOf({ pods, faults, toMs }, []);
  const palette = paletteOf(canvas);
  const scale = scaleOfRun({ nowMs, width, run: { fromMs, toMs } });
  paintPods(context, { scale, palette, pods: hidesFuture ? podsUntil(whole, nowMs) : whole });
  paintAxis(context, { scale, palette });
  context.fillStyle = palette.accent;
  context.fillRect(scale.nowX, axisHeight, 1.5, aboveLanes - axisHeight);
}

/** Shows the winner at the end of the run. */
function Result({ racers, playground }: { racers: readonly Racer[]; playground: Playground }) {
  const { value: run } = playground.played;
  const isOver = run !== undefined && run.recording.player.atMs.value >= run.recording.player.recording.toMs;
  const [first, second] = racers.map(({ name, recording }) => ({
    name,
    degradedMs: sumOf(recording),
  }));
  if (!isOver || first === undefined || second === undefined) return <p role="status" />;
  const [better, worse] = first.degradedMs <= second.degradedMs ? [first, second] : [second, first];
  return (
    <p role="status" class="right">
      {better.degradedMs === worse.degradedMs
        ? `Both were degraded for ${lengthText(better.degradedMs)}.`
        : `The run ${better.name} wins: degraded for ${lengthText(better.degradedMs)} against ${lengthText(worse.degradedMs)}.`}
    </p>
  );
}

function sumOf({ pods = [], toMs }: StoryRecording): number {
  return pods.reduce((sum, { samples }) => sum + shortagesOf(samples, toMs).degradedMs, 0);
}
