import { type Lesson, lessons } from "@kintsugi/story";
import type { Page } from "playwright-core";
import { type Browser, startBrowser } from "../../support/dashboard/browser.ts";
import { servePlayground } from "../../support/dashboard/serve-playground.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

const runs = lessons.filter(({ subject }) => subject.is === "run");

/**
 * Returns after the page shows the lesson's run and accepts its prediction.
 * @throws when the page did not show the lesson within 60 s
 */
async function shown(page: Page, { title }: Lesson): Promise<number> {
  const timeout = 60_000;
  const panel = page.getByRole("navigation", { name: "Lessons" });
  await panel.getByRole("heading", { level: 2, name: title }).waitFor({ timeout });
  await panel.locator("form[aria-label=Prediction] input:enabled").first().waitFor({ timeout });
  await page.locator("canvas").first().waitFor({ timeout });
  await page.getByRole("progressbar").waitFor({ state: "detached", timeout });
  return page.evaluate<number>("performance.now()");
}

async function inNewBrowser(url: string, lesson: Lesson): Promise<number> {
  await using browser = await startBrowser();
  const tookMs = await shown(await browser.open(`${url}#lesson=${lesson.id}`), lesson);
  rejectFaults(browser);
  return tookMs;
}

async function inOpenTab(page: Page, lesson: Lesson): Promise<number> {
  const sinceMs = await page.evaluate<number>(`location.hash = "#lesson=${lesson.id}", performance.now()`);
  return (await shown(page, lesson)) - sinceMs;
}

function rejectFaults({ faults }: Browser): void {
  if (faults.length > 0) throw new Error(`the page has failed: ${faults.join("; ")}`);
}

/**
 * Starts each lesson that has a run in a browser with an empty profile, and then in one open tab.
 * A new browser's time begins with the navigation.
 * @throws when the page is not bundled, or the lessons' runs are not recorded
 */
export async function measureLessonStarts(): Promise<Figure[]> {
  using served = await servePlayground();
  const fresh: number[] = [];
  for (const lesson of runs) fresh.push(await inNewBrowser(served.url, lesson));
  const open: number[] = [];
  const [first, ...others] = runs;
  if (first === undefined) throw new Error("no lesson has a run");
  await using browser = await startBrowser();
  const page = await browser.open(`${served.url}#lesson=${first.id}`);
  await shown(page, first);
  for (const lesson of others) open.push(await inOpenTab(page, lesson));
  rejectFaults(browser);
  const recorded = [...served.sent.keys()].filter((path) => path.endsWith(".json.gz"));
  if (recorded.length < runs.length)
    throw new Error("the lessons are not recorded: run `npm run record:lessons` first");
  return [
    figure("lesson.new-browser", "a lesson starts in a new browser", fresh),
    figure("lesson.open-tab", "a lesson starts in an open tab", open),
  ];
}

function figure(id: string, what: string, samples: readonly number[]): Figure {
  const { min, p50, max, count } = describeSamples(samples);
  return {
    id,
    what: `${what}, slowest`,
    value: max,
    unit: "ms",
    goal: 3_000,
    detail: `${count} lessons, ${min.toFixed(0)} to ${max.toFixed(0)} ms, median ${p50.toFixed(0)} ms`,
  };
}
