import { type Goal, type Lesson, lessons } from "@kintsugi/story";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePlayground } from "../support/dashboard/serve-playground.ts";

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

const simulatedMs = 300_000;

async function untilSimulated(page: Page): Promise<void> {
  await page
    .getByRole("progressbar", { name: "The run is simulated" })
    .waitFor({ state: "detached", timeout: simulatedMs });
}

/** Makes a wrong prediction: another choice, or a far number. */
async function predictWrongly(panel: Locator, { prediction }: Lesson): Promise<void> {
  switch (prediction.is) {
    case "choice": {
      const wrong = prediction.options.findIndex((_option, index) => index !== prediction.right);
      await panel.getByRole("radio").nth(wrong).check();
      break;
    }
    case "mark":
      // The faults begin later than the run, and so does the truth.
      await panel.getByRole("slider", { name: "Your mark" }).press("ArrowRight");
      break;
    default:
      await panel.getByRole("spinbutton", { name: /Your prediction/ }).fill("80000");
  }
  await panel.getByRole("button", { name: "Predict, then see" }).click();
}

async function predictRightly(panel: Locator, { prediction }: Lesson): Promise<void> {
  if (prediction.is !== "choice") throw new Error("only a choice is known before the run");
  await panel.getByRole("radio").nth(prediction.right).check();
  await panel.getByRole("button", { name: "Predict, then see" }).click();
}

async function seeTheEnd(panel: Locator, { subject }: Lesson): Promise<void> {
  if (subject.is === "run") await panel.getByRole("button", { name: "Show the end" }).click();
}

async function change(goalBox: Locator, { knobs, solution }: Goal): Promise<void> {
  for (const each of solution) {
    const [name, value = ""] = each.split(/=(.*)/s);
    const knob = knobs.find(({ setting }) => setting === name);
    if (knob === undefined) throw new Error(`${each} is not among the knobs`);
    await goalBox.getByLabel(knob.label).selectOption(value);
  }
}

async function missAndReach(page: Page, panel: Locator, goal: Goal): Promise<void> {
  const goalBox = panel.getByRole("region", { name: "Goal" });
  await goalBox.getByText(/Not yet\./).waitFor();
  expect(await panel.getByRole("button", { pressed: true }).getByText("done").count()).toBe(0);
  await change(goalBox, goal);
  await untilSimulated(page);
  await goalBox.getByText(/The goal is met\./).waitFor({ timeout: simulatedMs });
}

const named = lessons.map((lesson) => ({ lesson, id: lesson.id }));

test.each(named)(
  "the lesson $id is failed and passed in the browser",
  async ({ lesson }) => {
    const page = await browser.open(`${served.url}#lesson=${lesson.id}`);
    const panel = page.getByRole("navigation", { name: "Lessons" });
    await untilSimulated(page);
    await predictWrongly(panel, lesson);
    await seeTheEnd(panel, lesson);
    await panel.getByText(/^It was different:/).waitFor({ timeout: simulatedMs });
    if (lesson.goal !== undefined) await missAndReach(page, panel, lesson.goal);
    // A lesson without a goal is done when its truth was seen.
    await panel.getByRole("button", { pressed: true }).getByText("done").waitFor();
    if (lesson.prediction.is === "choice") {
      const again = await browser.open(`${served.url}#lesson=${lesson.id}`);
      const own = again.getByRole("navigation", { name: "Lessons" });
      await untilSimulated(again);
      await predictRightly(own, lesson);
      await seeTheEnd(own, lesson);
      await own.getByText(/^You were right:/).waitFor({ timeout: simulatedMs });
    }
    expect(browser.faults).toEqual([]);
  },
  600_000,
);

test("the progress of lessons stays in the browser, and is not sent in a request", async () => {
  const page = await browser.open(`${served.url}#lesson=partition-within-grace`);
  const panel = page.getByRole("navigation", { name: "Lessons" });
  await untilSimulated(page);
  await panel.getByRole("radio").first().check();
  await panel.getByRole("button", { name: "Predict, then see" }).click();
  await panel.getByRole("button", { name: "Show the end" }).click();
  await panel.getByText(/^You were right:/).waitFor({ timeout: simulatedMs });
  const kept = await page.evaluate<string>("JSON.stringify(localStorage)");
  expect(kept).toContain("partition-within-grace");
  const again = await browser.open(`${served.url}#lesson=partition-within-grace`);
  await again.getByRole("navigation", { name: "Lessons" }).getByText("done").first().waitFor();
  // A file is read by its name alone: no query, no body, and no other server.
  expect(served.asked.filter((each) => !/^GET \/[\w./-]*$/.test(each))).toEqual([]);
  expect(browser.faults).toEqual([]);
}, 120_000);
