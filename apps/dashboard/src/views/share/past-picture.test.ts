import { expect, test } from "vitest";
import { pastPicture } from "./past-picture.ts";
import { quietRun } from "./testing/quiet-run.ts";

/** A canvas's context that keeps the drawn texts, of which a cleared area loses its own. */
function canvasOfTexts() {
  let texts: { text: string; y: number }[] = [];
  const context: Record<string, unknown> = {
    clearRect: (_x: number, top: number, _width: number, height: number) => {
      texts = texts.filter(({ y }) => y < top || y > top + height);
    },
    fillText: (text: string, _x: number, y: number) => texts.push({ text, y }),
    measureText: (text: string) => ({ width: text.length * 8 }),
  };
  const any = new Proxy(context, { get: (own, name) => own[String(name)] ?? (() => {}) });
  return { context: any as unknown as CanvasRenderingContext2D, texts: () => texts.map(({ text }) => text) };
}

test("a film's frame does not keep the words of the frame before it", () => {
  const { context, texts } = canvasOfTexts();
  const { page, span, palette } = quietRun();
  const picture = pastPicture(page, span, palette);
  picture.draw(context, 60_000);
  picture.draw(context, 90_000);
  expect(texts().filter((text) => text.startsWith("after"))).toEqual(["after 1 min 30 s, 00:01:30 UTC"]);
  expect(texts().filter((text) => text === "lab")).toEqual(["lab"]);
});
