import { type Bar, type ClusterStory, type Lane, stateOf } from "@kintsugi/story";
import type { Frame } from "../../drawing/frame.ts";
import { findAt, type Folding, layOut, type PictureLayout, rowHeightFor } from "../../drawing/layout.ts";
import { paint } from "../../drawing/paint.ts";
import { aboveLanes } from "../../drawing/paint-pods.ts";
import { type Palette, readPalette } from "../../drawing/palette.ts";
import { podsUntil } from "../../drawing/pods-until.ts";
import { type TimeScale, scaleFor, scaleOfRun, timeAt } from "../../drawing/scale.ts";
import type { Shown } from "../../model/commands.ts";
import type { RunningTimer } from "../../model/running-timers.ts";
import { podText, stateMeaning } from "../../model/words.ts";
import { type DashboardPage, wholeRun } from "../../state/page.ts";
import type { LaneButtons } from "./lane-buttons.ts";
import { sceneOf } from "./scene.ts";

/** People who prefer reduced motion get a picture every second while time moves. */
const reducedMotionFrameMs = 1_000;
/** The maximum width of the label next to the pointer. */
const hintWidth = 340;
/** The row of an ended pod folds when its end has moved this part of the picture to the left. */
const foldShare = 0.22;
/** Rows open and close while time moves by this part of the picture. */
const turnShare = 0.006;
/** The picture scrolls to the current scene, unless people scrolled it a moment ago. */
const ownScrollMs = 15_000;
const [nameX, nameXBesideButton] = [8, 70];

export interface PictureParts {
  readonly surface: HTMLCanvasElement;
  /** The part of the page in which the picture scrolls. */
  readonly window: HTMLDivElement;
  /** Makes the scrolled content as high as the picture is. */
  readonly filler: HTMLDivElement;
  readonly label: HTMLDivElement;
  /** Contains the buttons of lanes and pods. */
  readonly faults: HTMLDivElement;
}

/** The lane of the current event, and its sources. */
interface SceneSeen {
  readonly story: ClusterStory;
  readonly changes: number;
  readonly runningTimers: readonly RunningTimer[];
  readonly scene: string | undefined;
}

/** Draws the cluster with every frame of the browser, from `start` to `stop`. */
export class Picture {
  readonly #page: DashboardPage;
  readonly #parts: PictureParts;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #stop = new AbortController();
  readonly #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  #palette: Palette;
  /** Chosen with the first pods, and kept, because another height would move everything. */
  #rowHeight: number | undefined;
  #pointed: Bar | undefined;
  /** The time at which the pointer entered. Rows do not fold under the pointer. */
  #enteredMs: number | undefined;
  /** Loaded if there is a lab. */
  #buttons: LaneButtons | undefined;
  #loadsButtons = false;
  /** The lane of the last scene, to which the picture scrolled. */
  #scene = "";
  #sceneSeen: SceneSeen | undefined;
  #scrolledMs = -Infinity;
  #drawnMs = -Infinity;
  /** The number of parts that the last picture contained. */
  #drawnParts = 0;
  /** The time that the previous frame showed. */
  #seenMs = Number.NaN;
  #height = 0;
  #handle = 0;

  constructor(page: DashboardPage, parts: PictureParts) {
    this.#page = page;
    this.#parts = parts;
    this.#context = parts.surface.getContext("2d");
    this.#palette = paletteOf(parts.surface);
  }

  start(): void {
    const { signal } = this.#stop;
    const { surface, window } = this.#parts;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => (this.#palette = paletteOf(surface)), { signal });
    surface.addEventListener("mousemove", (event) => this.#point(event, this.#under(event)), { signal });
    window.addEventListener("mouseenter", () => (this.#enteredMs = this.#page.cluster.nowMs()), { signal });
    window.addEventListener("mouseleave", (event) => this.#leave(event), { signal });
    surface.addEventListener("click", (event) => this.#choose(event), { signal });
    for (const own of ["wheel", "touchmove", "keydown", "pointerdown"])
      window.addEventListener(own, () => (this.#scrolledMs = this.#drawnMs), { signal, passive: true });
    this.#handle = requestAnimationFrame((timeMs) => this.#frame(timeMs));
  }

  stop(): void {
    cancelAnimationFrame(this.#handle);
    this.#stop.abort();
  }

  #frame(timeMs: number): void {
    this.#handle = requestAnimationFrame((next) => this.#frame(next));
    const shownMs = this.#shownMs();
    const isMoving = shownMs !== this.#seenMs;
    this.#seenMs = shownMs;
    const parts = this.#partsLoaded();
    const isComplete = parts === this.#drawnParts;
    if (this.#reducedMotion.matches && isMoving && isComplete && timeMs - this.#drawnMs < reducedMotionFrameMs) return;
    this.#drawnMs = timeMs;
    this.#drawnParts = parts;
    this.#draw(timeMs);
  }

  /** Counts the parts of the picture that are available later than the lanes. */
  #partsLoaded(): number {
    return Number(this.#page.pods.value.samples.length > 0) + Number(this.#buttons !== undefined);
  }

  #draw(timeMs: number): void {
    if (this.#context === null) return;
    const { window, filler } = this.#parts;
    const { scale, layout } = this.#measure();
    const wanted = Math.ceil(layout.height);
    if (wanted !== this.#height) {
      this.#height = wanted;
      // The style limits the height, and a user scrolls to the rest of the picture.
      window.style.height = `${wanted}px`;
    }
    const height = window.clientHeight;
    filler.style.height = `${Math.max(0, wanted - height)}px`;
    this.#fit(scale.width, height);
    this.#moveToScene(layout, { height, timeMs });
    const hasFaults = this.#page.lab.value !== undefined;
    const frame = this.#frameOf({ scale, layout, height });
    paint(this.#context, { ...frame, nameX: hasFaults ? nameXBesideButton : nameX });
    if (hasFaults && !this.#loadsButtons) void this.#loadButtons();
    if (hasFaults) this.#buttons?.place(frame, this.#pointed);
  }

  async #loadButtons(): Promise<void> {
    this.#loadsButtons = true;
    const { LaneButtons: Buttons } = await import("./lane-buttons.ts");
    this.#buttons = new Buttons(this.#page, this.#parts.faults);
  }

  #frameOf({ scale, layout, height }: { scale: TimeScale; layout: PictureLayout; height: number }): Frame {
    const { runningTimers, replacements, shownBar: shows, selected, cluster, pods, recorded, hidesFuture } = this.#page;
    const isPast = this.#page.heldMs.value !== undefined;
    const chosen = selected.value?.kind === "Pod" ? cluster.story.find(selected.value) : undefined;
    // Virtual time is ahead of the list of timers.
    const isVirtual = recorded !== undefined;
    const running = isVirtual
      ? runningTimers.value.filter(({ atMs }) => atMs > scale.nowMs)
      : isPast
        ? []
        : runningTimers.value;
    return {
      layout,
      scale,
      palette: this.#palette,
      scrollY: this.#parts.window.scrollTop,
      height,
      runningTimers: running,
      replacements: replacements.value,
      shows,
      barOf: (pod) => cluster.story.find(pod),
      chosen: this.#pointed ?? chosen,
      pods: hidesFuture.value || isPast ? podsUntil(pods.value, scale.nowMs) : pods.value,
      nameX,
      isPast,
    };
  }

  /** Scrolls the lane of the current event into view, once for each scene. */
  #moveToScene(layout: PictureLayout, { height, timeMs }: { height: number; timeMs: number }): void {
    const { window } = this.#parts;
    const scene = this.#currentScene();
    if (scene === undefined) this.#scene = "";
    const placed = scene === undefined ? undefined : layout.laneOf.get(scene);
    if (placed === undefined || scene === this.#scene || timeMs - this.#scrolledMs < ownScrollMs) return;
    this.#scene = scene ?? "";
    const isInView =
      placed.topY >= window.scrollTop + aboveLanes && placed.topY + placed.height <= window.scrollTop + height;
    const top = Math.max(0, placed.topY - aboveLanes - 8);
    if (!isInView) window.scrollTo({ top, behavior: this.#reducedMotion.matches ? "auto" : "smooth" });
  }

  /** Looks for the lane of the current event only after the story or the timers changed. */
  #currentScene(): string | undefined {
    const { story } = this.#page.cluster;
    const { value: runningTimers } = this.#page.runningTimers;
    const { changes } = story;
    const known = this.#sceneSeen;
    if (known?.story === story && known.changes === changes && known.runningTimers === runningTimers)
      return known.scene;
    const scene = sceneOf(story.lanes, { runningTimers, nodeOf: (pod) => story.find(pod)?.node });
    this.#sceneSeen = { story, changes, runningTimers, scene };
    return scene;
  }

  #measure(): { scale: TimeScale; layout: PictureLayout } {
    const { cluster, filter } = this.#page;
    const { node: only } = filter.value;
    const lanes = cluster.story.lanes.filter(({ node }) => only === "" || node === only);
    const pods = cluster.story.living;
    if (this.#rowHeight === undefined && pods > 0) this.#rowHeight = rowHeightFor(pods);
    const scale = this.#scale();
    const rowHeight = this.#rowHeight ?? rowHeightFor(0);
    return { scale, layout: layOut(lanes, { rowHeight, topY: aboveLanes, folding: this.#folding(scale) }) };
  }

  #shownMs(): number {
    return this.#page.heldMs.value ?? this.#page.cluster.nowMs();
  }

  #scale(): TimeScale {
    const { spanMs, recorded } = this.#page;
    const now = { nowMs: this.#shownMs(), width: this.#parts.window.clientWidth };
    return recorded !== undefined && spanMs.value === wholeRun
      ? scaleOfRun({ ...now, run: recorded.run })
      : scaleFor({ ...now, spanMs: spanMs.value });
  }

  /** Folding and its pace follow from the shown time. Rows do not fold under a pointer. */
  #folding({ nowMs, width, msPerPixel }: TimeScale): Folding {
    const shownMs = width * msPerPixel;
    const turnMs = this.#reducedMotion.matches ? 1 : Math.max(1, shownMs * turnShare);
    const closeNowMs = Math.min(nowMs, this.#enteredMs ?? nowMs);
    return { nowMs, foldMs: shownMs * foldShare, turnMs, closeNowMs };
  }

  /** Sets the canvas resolution to the screen's. */
  #fit(width: number, height: number): void {
    const { surface } = this.#parts;
    const ratio = devicePixelRatio;
    const [dotsX, dotsY] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (surface.width !== dotsX || surface.height !== dotsY) {
      surface.width = dotsX;
      surface.height = dotsY;
      surface.style.width = `${width}px`;
      surface.style.height = `${height}px`;
    }
    this.#context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  #under(event: MouseEvent): { lane: Lane; bar: Bar | undefined } | undefined {
    const { surface, window } = this.#parts;
    const { scale, layout } = this.#measure();
    const box = surface.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (y < aboveLanes) return undefined;
    return findAt(layout, { y: y + window.scrollTop, timeMs: timeAt(scale, event.clientX - box.left) });
  }

  #choose(event: MouseEvent): void {
    const { surface } = this.#parts;
    const { recorded, selected } = this.#page;
    const box = surface.getBoundingClientRect();
    if (event.clientY - box.top < aboveLanes) recorded?.seek(timeAt(this.#scale(), event.clientX - box.left));
    const found = this.#under(event);
    const object = found && objectOf(found);
    if (object !== undefined) selected.value = object;
  }

  #leave(event: MouseEvent): void {
    this.#enteredMs = undefined;
    this.#point(event, undefined);
  }

  /** Shows the name and state of the bar under the pointer, next to it. */
  #point(event: MouseEvent, found: { lane: Lane; bar: Bar | undefined } | undefined): void {
    const bar = found?.bar;
    this.#pointed = bar;
    this.#page.pointed.value = found && objectOf(found);
    const { label } = this.#parts;
    label.classList.toggle("shown", bar !== undefined);
    if (bar === undefined) return;
    label.textContent = `${bar.namespace}/${bar.name}: ${podText(bar)}, ${stateMeaning(stateOf(bar))}`;
    label.style.left = `${Math.min(event.clientX + 12, Math.max(0, innerWidth - hintWidth))}px`;
    label.style.top = `${event.clientY + 16}px`;
  }
}

function objectOf({ lane, bar }: { lane: Lane; bar: Bar | undefined }): Shown | undefined {
  if (bar !== undefined) return { kind: "Pod", namespace: bar.namespace, name: bar.name };
  return lane.node === "" ? undefined : { kind: "Node", namespace: "", name: lane.node };
}

export function paletteOf(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  return readPalette((property) => style.getPropertyValue(property).trim());
}
