import "./share.css";
import { runPicture, type PicturedRun, recoveriesOf, shortagesOf } from "@kintsugi/story";
import { systemClock } from "@kintsugi/clock";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { podsUntil } from "../../drawing/pods-until.ts";
import type { DashboardPage } from "../../state/page.ts";
import { CommandLine } from "../detail/command-line.tsx";
import { paletteOf } from "../picture/picture.ts";
import { filmOf, type FilmOptions } from "./film.ts";
import { pastPicture, pastPictureWidth, replacementsOfAll } from "./past-picture.ts";
import { runInWords, type SharedSpan, sharedSpan } from "./shared-span.ts";

interface SharePanelProps {
  readonly page: DashboardPage;
  readonly linkAt: (atMs: number) => string;
}

/** A link to this moment, pictures of it and of the whole run, and a film of the last recovery. */
export function SharePanel({ page, linkAt }: SharePanelProps) {
  const said = useSignal("");
  const filmed = useSignal<number | undefined>(undefined);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  // The page's tick: a link of a live cluster is for the moment in which the panel opened.
  const openedMs = useSignal(page.heldMs.value ?? page.cluster.nowMs());
  const atMs = page.recorded === undefined ? openedMs.value : page.nowMs.value;
  const save = async (name: string, make: () => Promise<Made> | Made) => {
    try {
      const { blob, of } = await make();
      saveFile(`${fileName(page)}.${name}`, blob);
      said.value = `Saved ${fileName(page)}.${name}, ${of}, ${Math.ceil(blob.size / 1000)} kB`;
    } catch (error) {
      said.value = `Not saved: ${(error as Error).message}`;
    }
  };
  const film = async () => {
    filmed.value = 0;
    stop.current = new AbortController();
    const { signal } = stop.current;
    await save("webm", () => atItsEnd(page, (span) => madeFilm(page, filmOptions(span, signal))));
    if (signal.aborted) said.value = "The film was stopped.";
    filmed.value = undefined;
  };
  const filmOptions = (span: SharedSpan, signal: AbortSignal) => ({
    span,
    palette: paletteOf(document.body),
    signal,
    onProgress: (part: number) => (filmed.value = part),
  });
  return (
    <section class="share-panel card" aria-label="Share">
      <p>Link to this moment:</p>
      <CommandLine text={linkAt(atMs)} />
      <div class="ways">
        <button type="button" disabled={filmed.value !== undefined} onClick={() => void save("png", () => pngOf(page))}>
          Picture of this moment (PNG)
        </button>
        <button type="button" disabled={filmed.value !== undefined} onClick={() => void save("svg", () => svgOf(page))}>
          Picture of {picturedSpan(page).of} (SVG)
        </button>
        {filmed.value === undefined ? (
          <button type="button" onClick={() => void film()}>
            Film of the last recovery
          </button>
        ) : (
          <button type="button" onClick={() => stop.current.abort()}>
            Stop the film
          </button>
        )}
      </div>
      {filmed.value !== undefined && <progress aria-label="The film is made" value={filmed.value} />}
      <p role="status" class="muted">
        {said.value}
      </p>
    </section>
  );
}

/** A file, and what it shows. */
interface Made {
  readonly blob: Blob;
  readonly of: string;
}

async function madeFilm(page: DashboardPage, options: FilmOptions & { span: SharedSpan }): Promise<Made> {
  return { blob: await filmOf(page, options), of: options.span.of };
}

/** The last time that may be shown, because the future of a lesson is to be predicted. */
function shownUntil({ recorded, hidesFuture, cluster }: DashboardPage): number {
  return recorded === undefined || hidesFuture.value ? cluster.nowMs() : recorded.run.toMs;
}

function spanOf(page: DashboardPage): SharedSpan {
  const { cluster, recorded } = page;
  return sharedSpan({
    // The page's own list is half a second old.
    recoveries: recoveriesOf(cluster.story.lanes, replacementsOfAll(page), cluster.timers),
    graceMs: cluster.timers.nodeMonitorGracePeriodMs,
    run: recorded?.run,
    untilMs: shownUntil(page),
  });
}

/** Performs work that needs all of a recording's steps, and then returns to the playhead's time. */
async function atItsEnd<T>(page: DashboardPage, work: (span: SharedSpan) => Promise<T>): Promise<T> {
  const { recorded, cluster } = page;
  const beforeMs = cluster.nowMs();
  const untilMs = shownUntil(page);
  recorded?.seek(untilMs);
  try {
    return await work(spanOf(page));
  } finally {
    recorded?.seek(beforeMs);
  }
}

async function pngOf(page: DashboardPage): Promise<Made> {
  const nowMs = page.heldMs.value ?? page.cluster.nowMs();
  const run = page.recorded?.run ?? { fromMs: nowMs - page.spanMs.value, toMs: nowMs };
  const picture = pastPicture(page, run, paletteOf(document.body));
  const canvas = document.createElement("canvas");
  const ratio = 2;
  [canvas.width, canvas.height] = [pastPictureWidth * ratio, picture.height * ratio];
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser has no canvas");
  context.scale(ratio, ratio);
  picture.draw(context, nowMs);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob === null) throw new Error("the browser cannot write a PNG");
  return { blob, of: "this moment" };
}

function svgOf(page: DashboardPage): Made {
  const blob = new Blob([runPicture(picturedRun(page))], { type: "image/svg+xml" });
  return { blob, of: picturedSpan(page).of };
}

/** The time that the picture of a run shows. */
function picturedSpan(page: DashboardPage): SharedSpan {
  const { recorded } = page;
  if (recorded?.pods === undefined) return spanOf(page);
  const untilMs = shownUntil(page);
  return { ...recorded.run, toMs: untilMs, of: runInWords(recorded.run, untilMs) };
}

/** The workload that was degraded longest, or all workloads of a live cluster. */
function picturedRun(page: DashboardPage): PicturedRun {
  const untilMs = shownUntil(page);
  const { recorded, cluster, pods } = page;
  const { clusterName: title } = cluster.settings;
  if (recorded?.pods === undefined) {
    const { samples, faults } = podsUntil(pods.value, untilMs);
    const { fromMs, toMs } = spanOf(page);
    return {
      recording: { fromMs, toMs, pods: [{ workload: "all workloads", samples }], faults },
      workload: "all workloads",
      title,
    };
  }
  const toMs = untilMs;
  const own = recorded.pods.map(({ workload, samples }) => ({
    workload,
    samples: samples.filter(({ atMs }) => atMs <= toMs),
  }));
  const cost = ({ samples }: (typeof own)[number]) => shortagesOf(samples, toMs).degradedMs;
  const [worst] = own.toSorted((a, b) => cost(b) - cost(a));
  const { faults } = podsUntil({ samples: [], faults: recorded.faults ?? [] }, toMs);
  const shown = worst === undefined ? [] : [worst];
  return { recording: { ...recorded.run, pods: shown, faults }, workload: worst?.workload ?? "", title };
}

/** File names without characters that an operating system rejects. */
function fileName({ cluster }: DashboardPage): string {
  return `kintsugi-${cluster.settings.clusterName.replaceAll(/[^\w.-]+/g, "-").slice(0, 60)}`;
}

/** The browser reads the file within this time. */
const keptMs = 60_000;

function saveFile(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  systemClock.after(keptMs, () => URL.revokeObjectURL(link.href));
}
