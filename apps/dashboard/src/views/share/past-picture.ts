import { type Bar, replacementsIn, type Replacement, workloadKey } from "@kintsugi/story";
import type { Frame } from "../../drawing/frame.ts";
import { type Folding, layOut, type PictureLayout, rowHeightFor } from "../../drawing/layout.ts";
import { paint } from "../../drawing/paint.ts";
import { aboveLanes } from "../../drawing/paint-pods.ts";
import type { Palette } from "../../drawing/palette.ts";
import { podsUntil } from "../../drawing/pods-until.ts";
import { type RunTime, scaleOfRun, type TimeScale } from "../../drawing/scale.ts";
import { lengthText, zonedClockText } from "../../model/words.ts";
import type { DashboardPage } from "../../state/page.ts";

// A picture of a past time, of everything that the page has read, with a line of text below:
//
//   pods over time
//   lanes of nodes
//   Kintsugi: name                      3 min 20 s, 12:03:20 UTC

export const pastPictureWidth = 1280;
/** Limit on drawn nodes; a film of a thousand nodes shows the first nodes. */
const heightMax = 720;
const wordsHeight = 36;
const margin = 12;
/** Rows do not fold in a film, which is shorter than this. */
const folding = { foldMs: 1e15, turnMs: 1 };

export interface PastPicture {
  readonly height: number;
  /** Draws the page's cluster as it was at a time. */
  draw(context: CanvasRenderingContext2D, nowMs: number): void;
}

/** Prepares pictures of a span of time. */
export function pastPicture(page: DashboardPage, span: RunTime, palette: Palette): PastPicture {
  const { cluster, shownBar: shows, pods } = page;
  const replacements = replacementsOfAll(page);
  const lanesAt = (nowMs: number) => {
    const lanes = cluster.story.lanes;
    const own: Folding = { ...folding, nowMs, closeNowMs: nowMs };
    return layOut(lanes, { rowHeight: rowHeightFor(cluster.story.living), topY: aboveLanes, folding: own });
  };
  const scaleAt = (nowMs: number): TimeScale => scaleOfRun({ nowMs, width: pastPictureWidth, run: span });
  const lanesHeight = Math.ceil(Math.min(heightMax, lanesAt(span.toMs).height + 8));
  const frameAt = (layout: PictureLayout, nowMs: number): Frame => ({
    layout,
    scale: scaleAt(nowMs),
    palette,
    scrollY: 0,
    height: lanesHeight,
    runningTimers: [],
    replacements: replacements.filter(({ next }) => next.fromMs <= nowMs),
    shows,
    barOf: (pod) => cluster.story.find(pod),
    chosen: undefined,
    pods: podsUntil(pods.value, nowMs),
    nameX: 8,
    isPast: true,
  });
  return {
    // Video encoders require even numbers.
    height: evenOf(lanesHeight + wordsHeight),
    draw(context, nowMs) {
      // The lanes clear their own height only, and a film draws on one canvas.
      context.clearRect(0, 0, pastPictureWidth, evenOf(lanesHeight + wordsHeight));
      paint(context, frameAt(lanesAt(nowMs), nowMs));
      // The picture is transparent where nothing is drawn.
      context.globalCompositeOperation = "destination-over";
      context.fillStyle = palette.surface;
      context.fillRect(0, 0, pastPictureWidth, evenOf(lanesHeight + wordsHeight));
      context.globalCompositeOperation = "source-over";
      paintWords(context, { page, palette, y: lanesHeight + wordsHeight / 2, passedMs: nowMs - span.fromMs, nowMs });
    },
  };
}

interface Words {
  readonly page: DashboardPage;
  readonly palette: Palette;
  readonly y: number;
  readonly passedMs: number;
  readonly nowMs: number;
}

function paintWords(context: CanvasRenderingContext2D, { page, palette, y, passedMs, nowMs }: Words): void {
  context.textBaseline = "middle";
  context.font = "600 15px system-ui, sans-serif";
  context.fillStyle = palette.gold;
  context.fillText("Kintsugi", margin, y);
  const x = margin + context.measureText("Kintsugi").width + 10;
  context.fillStyle = palette.text;
  context.fillText(page.cluster.settings.clusterName, x, y);
  context.font = "13px system-ui, sans-serif";
  context.fillStyle = palette.muted;
  context.textAlign = "right";
  context.fillText(`after ${lengthText(passedMs)}, ${zonedClockText(nowMs)}`, pastPictureWidth - margin, y);
  context.textAlign = "left";
}

/** Every pod that replaced another, up to the newest step. */
export function replacementsOfAll({ cluster }: DashboardPage): Replacement[] {
  const byWorkload = new Map<string, Bar[]>();
  for (const bar of cluster.story.bars()) {
    if (bar.node === "") continue;
    const key = workloadKey(cluster.workloadOfBar(bar));
    byWorkload.set(key, [...(byWorkload.get(key) ?? []), bar]);
  }
  return [...byWorkload.values()].flatMap(replacementsIn);
}

function evenOf(height: number): number {
  return Math.ceil(height / 2) * 2;
}
