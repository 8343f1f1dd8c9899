import { expect, test } from "vitest";
import { style } from "./style.ts";

/** The colors of both modes, light first. */
const modes = [...style.matchAll(/--ink: .*?;(?= [}])|--ink: [^}]*/g)].map(
  ([text]) => new Map([...text.matchAll(/--([\w-]+): (#\w+);/g)].map(([, name = "", color = ""]) => [name, color])),
);

/** Relative luminance as WCAG 2 defines it. */
function luminanceOf(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/\w/g, "$&$&") : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const part = Number.parseInt(digits.slice(from, from + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminanceOf).toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test("every color of a text can be read on paper and in a marked row, light and dark", () => {
  expect(modes).toHaveLength(2);
  const textColors = new Set([...style.matchAll(/[^-]color: var\(--([\w-]+)\)/g)].map(([, name = ""]) => name));
  expect([...textColors]).toEqual(expect.arrayContaining(["ink", "dim", "good-text", "bad-text"]));
  const faint = modes.flatMap((mode) =>
    ["paper", "mark"].flatMap((ground) =>
      [...textColors]
        .map((name) => ({ name, ground, contrast: contrastOf(mode.get(name) ?? "#000", mode.get(ground) ?? "#000") }))
        .filter(({ contrast }) => contrast < 4.5),
    ),
  );
  expect(faint).toEqual([]);
});
