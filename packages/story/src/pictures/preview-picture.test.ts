import { deflateSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import type { StoryRecording } from "../recording/story-recording.ts";
import { previewPicture } from "./preview-picture.ts";
import { previewPng } from "./preview-tags.ts";
import { Raster } from "./raster.ts";

const recording: StoryRecording = {
  title: "node-dead",
  description: "",
  clusterName: "node-dead",
  profile: "kubernetes",
  fromMs: 0,
  toMs: 600_000,
  steps: [],
  changes: [],
  hasObjects: true,
  captions: [],
  pods: [
    {
      workload: "web",
      samples: [
        { atMs: 0, wanted: 6, ready: 6, available: 6 },
        { atMs: 60_000, wanted: 6, ready: 6, available: 4 },
        { atMs: 100_000, wanted: 6, ready: 4, available: 4 },
        { atMs: 400_000, wanted: 6, ready: 6, available: 6 },
      ],
    },
  ],
  faults: [{ fromMs: 60_000, toMs: 300_000, text: "kill node-2" }],
};

/** The color of the time in minutes, at a height from 0 (bottom of the plot) to 1 (top). */
function colorAt({ width, pixels }: Raster, minutes: number, part: number): number[] {
  const x = Math.round(60 + minutes * 108);
  const y = Math.round(480 - part * 250);
  return [...pixels.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

test("the picture has available pods, pods that are only called Ready, missing pods, and a seam at the end", () => {
  const picture = previewPicture({ recording, workload: "web" });
  const [good, seen, gold] = [
    [58, 163, 143],
    [155, 176, 201],
    [200, 148, 42],
  ];
  expect(colorAt(picture, 0.5, 0.9)).toEqual(good);
  expect(colorAt(picture, 1.3, 0.5)).toEqual(good);
  expect(colorAt(picture, 1.3, 0.9)).toEqual(seen);
  // Missing pods are striped.
  const missing = Array.from({ length: 16 }, (_, index) => colorAt(picture, 3 + index / 108, 0.9).join());
  expect(new Set(missing)).toEqual(new Set(["214,69,69", "255,255,255"]));
  expect(colorAt(picture, 400 / 60, 0.5)).toEqual(gold);
  expect(colorAt(picture, 9, 0.9)).toEqual(good);
});

test("a file of the picture is a PNG whose rows are the pixels", () => {
  const png = Buffer.from(previewPng(recording, { deflate: deflateSync }) ?? []);
  expect(png.subarray(0, 8).toString("latin1")).toBe("\u0089PNG\r\n\u001a\n");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  expect(png.subarray(-8).toString("hex")).toBe("49454e44ae426082");
  const length = png.readUInt32BE(33);
  const rows = inflateSync(png.subarray(41, 41 + length));
  const { pixels } = previewPicture({ recording, workload: "web" });
  expect(rows.length).toBe((1200 * 3 + 1) * 630);
  expect(rows.subarray(1, 3601).equals(pixels.subarray(0, 3600))).toBe(true);
  // Networks reject large pictures, and each row is similar to the previous row.
  expect(png.length).toBeLessThan(60_000);
});

test("a recording without counts of pods has no picture", () => {
  const { pods: _, ...others } = recording;
  expect(previewPng(others, { deflate: deflateSync })).toBeUndefined();
});

test("a long title is cut at the edge of the picture, and a character without strokes is a box", () => {
  const title = "a".repeat(300);
  const picture = previewPicture({ recording: { ...recording, title }, workload: "web" });
  const edge = Array.from({ length: 60 }, (_, index) => picture.pixels[((100 + index) * 1200 + 1150) * 3]);
  expect(new Set(edge)).toEqual(new Set([255]));
  const [box, letter] = ["器", "l"].map((text) => {
    const raster = new Raster({ width: 40, height: 40, ground: [255, 255, 255] });
    raster.text(text, { x: 5, y: 30, size: 20, color: [0, 0, 0] });
    return raster.pixels.filter((value) => value < 128).length;
  });
  expect(box).toBeGreaterThan((letter ?? 0) * 2);
});
