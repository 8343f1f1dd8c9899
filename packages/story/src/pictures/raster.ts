import { capitalHeight, glyphOf } from "./stroke-font.ts";

/** Red, green and blue from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface TextOptions {
  readonly x: number;
  /** The y of the baseline. */
  readonly y: number;
  /** The height of a capital in pixels. */
  readonly size: number;
  readonly color: Color;
  /** The end of the text that is at x; default "left". */
  readonly align?: "left" | "right" | "middle";
  readonly isBold?: boolean;
}

/** The space between two letters, in units of the strokes. */
const letterSpace = 1.7;

/** A picture of pixels on which shapes and texts are drawn, for programs without a canvas. */
export class Raster {
  readonly width: number;
  readonly height: number;
  /** Three bytes for each pixel, row by row. */
  readonly pixels: Uint8Array;

  constructor({ width, height, ground }: { width: number; height: number; ground: Color }) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height * 3);
    this.fill({ x: 0, y: 0, width, height }, ground);
  }

  /** Fills a rectangle; `isIn` selects its pixels, as for stripes. */
  fill({ x, y, width, height }: Box, color: Color, isIn: (x: number, y: number) => boolean = () => true): void {
    const [right, bottom] = [Math.round(x + width), Math.round(y + height)];
    for (let row = Math.round(y); row < bottom; row++)
      for (let column = Math.round(x); column < right; column++)
        if (isIn(column, row) && column >= 0 && column < this.width && row >= 0 && row < this.height)
          this.pixels.set(color, (row * this.width + column) * 3);
  }

  /** Draws a line with round ends. */
  line(points: readonly (readonly [number, number])[], { color, width }: { color: Color; width: number }): void {
    const [first] = points;
    if (first === undefined) return;
    const ends = points.length === 1 ? [first, first] : points;
    const reach = width / 2 + 1;
    const [xs, ys] = [ends.map(([x]) => x), ends.map(([, y]) => y)];
    for (let row = Math.floor(Math.min(...ys) - reach); row <= Math.max(...ys) + reach; row++)
      for (let column = Math.floor(Math.min(...xs) - reach); column <= Math.max(...xs) + reach; column++) {
        let nearest = Number.POSITIVE_INFINITY;
        for (let index = 1; index < ends.length; index++)
          nearest = Math.min(
            nearest,
            distance([column + 0.5, row + 0.5], ends[index - 1] as Point, ends[index] as Point),
          );
        this.#blend(column, row, { color, cover: width / 2 - nearest + 0.5 });
      }
  }

  text(text: string, { x, y, size, color, align = "left", isBold = false }: TextOptions): void {
    const unit = size / capitalHeight;
    const shift = { left: 0, middle: 0.5, right: 1 }[align] * textWidth(text, size);
    let at = x - shift;
    for (const character of text) {
      const { strokes, width } = glyphOf(character);
      for (const stroke of strokes)
        this.line(
          stroke.map(([ownX, ownY]) => [at + ownX * unit, y + (ownY - capitalHeight) * unit]),
          { color, width: unit * (isBold ? 1.15 : 0.75) },
        );
      at += (width + letterSpace) * unit;
    }
  }

  #blend(column: number, row: number, { color, cover }: { color: Color; cover: number }): void {
    if (cover <= 0 || column < 0 || row < 0 || column >= this.width || row >= this.height) return;
    const at = (row * this.width + column) * 3;
    const part = Math.min(1, cover);
    for (let channel = 0; channel < 3; channel++) {
      const before = this.pixels[at + channel] ?? 0;
      this.pixels[at + channel] = Math.round(before + ((color[channel] ?? 0) - before) * part);
    }
  }
}

/** The width of a text in pixels. */
export function textWidth(text: string, size: number): number {
  let units = -letterSpace;
  for (const character of text) units += glyphOf(character).width + letterSpace;
  return (Math.max(0, units) * size) / capitalHeight;
}

type Point = readonly [number, number];

function distance([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const [wide, high] = [toX - fromX, toY - fromY];
  const length = wide * wide + high * high;
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * wide + (y - fromY) * high) / length));
  return Math.hypot(x - fromX - part * wide, y - fromY - part * high);
}
