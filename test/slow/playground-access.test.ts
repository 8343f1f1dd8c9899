import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { isInView } from "../support/dashboard/in-view.ts";
import { servePlayground } from "../support/dashboard/serve-playground.ts";

// Axe-core finds no violation in any of the ways to play, in both color schemes and both widths.

/** A folder that receives a picture of each state. */
const pictures = process.env["KINTSUGI_PICTURES"];

let served: Awaited<ReturnType<typeof servePlayground>>;
let browser: Browser;

beforeAll(async () => {
  served = await servePlayground();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  served?.[Symbol.dispose]();
});

async function untilSimulated(page: Page): Promise<void> {
  await page
    .locator(".playground > [role=status]")
    .getByText(/The digest of/)
    .waitFor({ timeout: 120_000 });
}

interface State {
  readonly name: string;
  readonly hash: string;
  /** Opens a further part of the page. */
  readonly open?: (page: Page) => Promise<void>;
}

const states: readonly State[] = [
  { name: "campaign", hash: "#lesson=node-dead" },
  { name: "sandbox", hash: "#scenario=node-dead&set=profile%3Dfast" },
  { name: "race", hash: "#scenario=node-dead&set=profile%3Dfast&rival=profile%3Ddefault" },
  { name: "survive", hash: "#survive=7" },
  {
    name: "share",
    hash: "#scenario=node-dead&set=profile%3Dfast",
    open: (page) => page.getByRole("button", { name: "Share", exact: true }).click(),
  },
];

test.each(states)("axe-core does not find a fault in $name", async ({ name, hash, open }) => {
  const page = await browser.open(`${served.url}${hash}`);
  if (hash.startsWith("#scenario")) await untilSimulated(page);
  else await page.getByRole("navigation", { name: "Ways to play" }).waitFor({ timeout: 120_000 });
  await open?.(page);
  for (const colorScheme of ["light", "dark"] as const)
    for (const [width, height] of [
      [1280, 800],
      [375, 812],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        "axe.run({ resultTypes: ['violations'] })",
      );
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `play-${name}-${colorScheme}-${width}.png`) });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
});

/** The addresses, and the element that is in view with the first look. */
const firstWindows = [
  { hash: "", beside: ".question p" },
  { hash: "#scenario=node-dead&set=profile%3Dfast", beside: ".playground select" },
] as const;

test.each([
  [375, 812],
  [1280, 800],
] as const)(
  "the first look is visible without scrolling at %i × %i, and the lesson is next to it",
  async (width, height) => {
    for (const { hash, beside } of firstWindows) {
      const page = await browser.open(`${served.url}${hash}`, { width, height });
      await untilSimulated(page);
      await page.getByRole("region", { name: "First look" }).getByText("Degraded so far").waitFor();
      expect(await isInView(page, ".look")).toBe(true);
      expect(await isInView(page, beside)).toBe(true);
      expect(await page.evaluate("scrollY")).toBe(0);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
  },
);

test("on a narrow screen a hidden lesson takes one line, and another lesson can be chosen", async () => {
  const page = await browser.open(served.url, { width: 375, height: 812 });
  await untilSimulated(page);
  const section = page.getByRole("region", { name: "Playground" });
  await section.getByText("1 of 29: A node dies").waitFor();
  await section.getByRole("button", { name: "Hide" }).click();
  expect((await section.boundingBox())?.height).toBeLessThan(60);
  await section.getByRole("button", { name: "Choose" }).click();
  await section.getByText("Many nodes").click();
  await section.getByRole("button", { name: "15. Half of a zone" }).click();
  await section.getByText("15 of 29: Half of a zone").waitFor();
  await section.getByRole("button", { name: "15. Half of a zone" }).waitFor({ state: "hidden" });
  await untilSimulated(page);
  expect(await isInView(page, ".question p")).toBe(true);
});

const waitMs = 60_000;

test("on a narrow screen the run that answers the question is in view, and then the lesson again", async () => {
  const page = await browser.open(served.url, { width: 375, height: 812 });
  await untilSimulated(page);
  const section = page.getByRole("region", { name: "Playground" });
  const pictureInView = async () =>
    ((await section.boundingBox())?.y ?? 0) - ((await page.locator(".scroller canvas").boundingBox())?.y ?? 812);
  expect(await pictureInView()).toBeLessThan(0);
  await section.getByRole("spinbutton", { name: /Your prediction/ }).fill("60");
  await section.getByRole("button", { name: "Predict, then see" }).click({ timeout: waitMs });
  await section.getByText("You said:").waitFor();
  await expect.poll(pictureInView).toBeGreaterThan(200);
  expect(await isInView(page, ".look")).toBe(true);
  // The picture does not move when the answers get longer.
  const heightOfLook = async () => (await page.locator(".look").boundingBox())?.height;
  const heightBefore = await heightOfLook();
  await page.getByLabel("Speed").selectOption("30");
  await page.getByRole("heading", { name: "node-2 is NotReady, web runs 4 of 6 pods" }).waitFor({ timeout: waitMs });
  expect(await heightOfLook()).toBe(heightBefore);
  await section.getByRole("button", { name: "Show the end" }).click();
  await section.getByText(/It was different/).waitFor();
  expect(await isInView(page, ".question p")).toBe(true);
});

test("the header beside a panel, and a sentence that kubectl prints, are not cut", async () => {
  const page = await browser.open(`${served.url}#scenario=node-dead`, { width: 1280, height: 800 });
  await untilSimulated(page);
  const header = page.locator("#app > .top");
  const heightBefore = (await header.boundingBox())?.height;
  await page.getByRole("button", { name: "Node node-1", exact: true }).click();
  const panel = await page.locator(".detail").boundingBox();
  const line = await header.getByText("Break a cluster").boundingBox();
  expect(line?.x).toBeGreaterThanOrEqual((panel?.x ?? 0) + (panel?.width ?? Infinity));
  expect((await header.boundingBox())?.height).toBe(heightBefore);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Open kubectl" }).click();
  await page.getByRole("combobox", { name: "kubectl command" }).fill("why is it Pending");
  await page.getByRole("combobox", { name: "kubectl command" }).press("Enter");
  const answer = page.getByRole("log", { name: "Answers" });
  await answer.getByText(/is not a command here/).waitFor({ timeout: waitMs });
  const cut = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.kubectl .told'))";
  expect(await page.evaluate(cut)).toBe(0);
  await page.getByRole("combobox", { name: "kubectl command" }).fill("scale rs web --replicas=3");
  await page.getByRole("combobox", { name: "kubectl command" }).press("Enter");
  const progress = page.getByRole("progressbar", { name: "The run is simulated", exact: true });
  await progress.waitFor({ timeout: waitMs });
  expect(await isInView(page, ".playground > progress")).toBe(true);
});

test("the focus stays on the page when its control is removed or disabled", async () => {
  const page = await browser.open(served.url);
  await untilSimulated(page);
  const lesson = page.getByRole("navigation", { name: "Lessons" });
  await lesson.getByRole("spinbutton", { name: /Your prediction/ }).fill("60");
  await lesson.getByRole("button", { name: "Predict, then see" }).press("Enter", { timeout: waitMs });
  const focused = () =>
    page.evaluate<string>("(document.activeElement.closest('label') ?? document.activeElement).textContent");
  await expect.poll(focused, { timeout: waitMs }).toBe("Show the end");
  await page.keyboard.press("Enter");
  await lesson.getByText(/It was different/).waitFor();
  const isInLesson = "document.activeElement.closest('.question') !== null";
  await expect.poll(() => page.evaluate(isInLesson), { timeout: waitMs }).toBe(true);
  const knob = lesson.getByLabel("Pods stay for");
  await knob.focus();
  await knob.selectOption("0s");
  await untilSimulated(page);
  await expect.poll(focused, { timeout: waitMs }).toContain("Pods stay for");
});
