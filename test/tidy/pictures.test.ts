import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawPictures } from "../../tools/draw-pictures.ts";

test("each picture of the documentation equals the output of its source", async () => {
  const pictures = await drawPictures();
  expect(pictures.length).toBeGreaterThan(1);
  const stale = pictures.filter(({ file, svg }) => !existsSync(file) || readFileSync(file, "utf8") !== svg);
  // `npm run pictures` draws them again.
  expect(stale.map(({ file }) => file)).toEqual([]);
});
