import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

type Colour = readonly [number, number, number];

/**
 * Linear red, green and blue as people with each kind of color blindness see them, by the matrices
 * of Machado, Oliveira and Fernandes (2009).
 */
const sight: Readonly<Record<string, readonly [Colour, Colour, Colour]>> = {
  everybody: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** States whose bars have one shape, so that only the color distinguishes them. */
const sameShape = [
  ["pending", "starting", "unready", "succeeded"],
  ["terminating", "failed"],
];

/** A distance in OKLab; people can just distinguish 0.02. */
const distanceMin = 0.06;

const style = readFileSync(join(import.meta.dirname, "../style.css"), "utf8");
const [light = "", dark = ""] = style.split("@media (prefers-color-scheme: dark)");

function colourOf(scheme: string, state: string): Colour {
  const hex = new RegExp(`--state-${state}: #([0-9a-f]{6})`).exec(scheme)?.[1] ?? "";
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(2), channel(4)];
}

const times = (matrix: readonly Colour[], [r, g, b]: Colour): Colour =>
  matrix.map(([x, y, z]) => Math.max(0, x * r + y * g + z * b)) as unknown as Colour;

function okLab(colour: Colour): Colour {
  const cones = times(
    [
      [0.4122, 0.5363, 0.0514],
      [0.2119, 0.6807, 0.1074],
      [0.0883, 0.2817, 0.63],
    ],
    colour,
  );
  const [l, m, s] = cones.map(Math.cbrt) as unknown as Colour;
  return [
    0.2105 * l + 0.7936 * m - 0.0041 * s,
    1.978 * l - 2.4286 * m + 0.4506 * s,
    0.0259 * l + 0.7828 * m - 0.8087 * s,
  ];
}

const distance = (a: Colour, b: Colour) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

test.each(
  Object.keys(sight).flatMap(
    (kind) =>
      [
        [kind, "light"],
        [kind, "dark"],
      ] as const,
  ),
)("states of one shape differ in color for %s in %s", (kind, scheme) => {
  const seen = (state: string) => okLab(times(sight[kind] ?? [], colourOf(scheme === "light" ? light : dark, state)));
  const alike = sameShape.flatMap((states) =>
    states.flatMap((a, i) =>
      states.slice(i + 1).flatMap((b) => {
        const apart = distance(seen(a), seen(b));
        return apart < distanceMin ? [`${a} and ${b}: ${apart.toFixed(3)}`] : [];
      }),
    ),
  );
  expect(alike).toEqual([]);
});
