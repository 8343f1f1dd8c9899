import { findAt, layOut, type PictureLayout, rowHeightFor } from "../drawing/layout.ts";
import { paint } from "../drawing/paint.ts";
import { type Palette, readPalette } from "../drawing/palette.ts";
import { type TimeScale, scaleFor, timeAt } from "../drawing/scale.ts";
import { type Bar, type Lane, stateOf } from "@kintsugi/story";
import { stateText } from "../model/words.ts";
import type { DashboardPage } from "../state/page.ts";

/** People who want less motion get a picture a second. */
const calmFrameMs = 1_000;
/** The label beside the pointer is at most this wide. */
const hintWidth = 340;

export interface PictureParts {
  readonly surface: HTMLCanvasElement;
  /** The part of the page in which the picture scrolls. */
  readonly window: HTMLDivElement;
  /** Makes the scrolled content as high as the picture is. */
  readonly filler: HTMLDivElement;
  readonly label: HTMLDivElement;
}

/** Draws the cluster with every frame of the browser, from `start` to `stop`. */
export class Picture {
  readonly #page: DashboardPage;
  readonly #parts: PictureParts;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #stop = new AbortController();
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #palette: Palette;
  /** Chosen with the first pods, and kept: another height would move everything. */
  #rowHeight: number | undefined;
  #pointed: Bar | undefined;
  #drawnMs = -Infinity;
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
    const { surface } = this.#parts;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => (this.#palette = paletteOf(surface)), { signal });
    surface.addEventListener("mousemove", (event) => this.#point(event, this.#under(event)?.bar), { signal });
    surface.addEventListener("mouseleave", (event) => this.#point(event, undefined), { signal });
    surface.addEventListener("click", (event) => this.#choose(this.#under(event)), { signal });
    this.#handle = requestAnimationFrame((timeMs) => this.#frame(timeMs));
  }

  stop(): void {
    cancelAnimationFrame(this.#handle);
    this.#stop.abort();
  }

  #frame(timeMs: number): void {
    this.#handle = requestAnimationFrame((next) => this.#frame(next));
    if (this.#calm.matches && timeMs - this.#drawnMs < calmFrameMs) return;
    this.#drawnMs = timeMs;
    this.#draw();
  }

  #draw(): void {
    if (this.#context === null) return;
    const { window, filler } = this.#parts;
    const { scale, layout } = this.#measure();
    if (layout.height !== this.#height) {
      this.#height = layout.height;
      // The style limits the height; the rest of the picture is scrolled to.
      window.style.height = `${layout.height}px`;
    }
    const height = window.clientHeight;
    filler.style.height = `${Math.max(0, layout.height - height)}px`;
    this.#fit(scale.width, height);
    const { ghosts, replacements, shownBar: shows, selected, cluster } = this.#page;
    const chosen = selected.value?.kind === "Pod" ? cluster.story.find(selected.value) : undefined;
    paint(this.#context, {
      layout,
      scale,
      palette: this.#palette,
      scrollY: window.scrollTop,
      height,
      ghosts: ghosts.value,
      replacements: replacements.value,
      shows,
      chosen: this.#pointed ?? chosen,
    });
  }

  #measure(): { scale: TimeScale; layout: PictureLayout } {
    const { cluster, filter, spanMs } = this.#page;
    const { node: only } = filter.value;
    const lanes = cluster.story.lanes.filter(({ node }) => only === "" || node === only);
    const pods = cluster.story.living;
    if (this.#rowHeight === undefined && pods > 0) this.#rowHeight = rowHeightFor(pods);
    const width = this.#parts.window.clientWidth;
    const scale = scaleFor({ nowMs: cluster.nowMs(), width, spanMs: spanMs.value });
    return { scale, layout: layOut(lanes, this.#rowHeight ?? rowHeightFor(0)) };
  }

  /** Gives the canvas a dot for each of the screen's. */
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
    const y = event.clientY - box.top + window.scrollTop;
    return findAt(layout, { y, timeMs: timeAt(scale, event.clientX - box.left) });
  }

  #choose(found: { lane: Lane; bar: Bar | undefined } | undefined): void {
    if (found === undefined) return;
    const { bar, lane } = found;
    if (bar !== undefined) this.#page.selected.value = { kind: "Pod", namespace: bar.namespace, name: bar.name };
    else if (lane.node !== "") this.#page.selected.value = { kind: "Node", namespace: "", name: lane.node };
  }

  /** Shows the name and state of the bar under the pointer, beside it. */
  #point(event: MouseEvent, bar: Bar | undefined): void {
    this.#pointed = bar;
    const { label } = this.#parts;
    label.classList.toggle("shown", bar !== undefined);
    if (bar === undefined) return;
    const because = bar.spans.at(-1)?.because ?? "";
    const words = [stateText(stateOf(bar)), ...(because === "" ? [] : [because])];
    label.textContent = `${bar.namespace}/${bar.name}: ${words.join(", ")}`;
    label.style.left = `${Math.min(event.clientX + 12, Math.max(0, innerWidth - hintWidth))}px`;
    label.style.top = `${event.clientY + 16}px`;
  }
}

function paletteOf(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  return readPalette((property) => style.getPropertyValue(property).trim());
}
