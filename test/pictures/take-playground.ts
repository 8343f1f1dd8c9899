import type { Page } from "playwright-core";
import { servePlayground } from "../support/dashboard/serve-playground.ts";
import type { Camera } from "./camera.ts";

const timeout = 300_000;

async function untilSimulated(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Turning points" }).waitFor({ timeout });
  await page.getByRole("progressbar", { name: "The run is simulated" }).waitFor({ state: "detached", timeout });
}

async function predict(page: Page): Promise<void> {
  await untilSimulated(page);
  const panel = page.getByRole("navigation", { name: "Lessons" });
  const number = panel.getByRole("spinbutton", { name: /Your prediction/ });
  await ((await number.count()) > 0 ? number.fill("60") : panel.getByRole("radio").first().check());
  await panel.getByRole("button", { name: "Predict, then see" }).click();
}

const sandbox = "#scenario=node-dead&set=profile%3Dfast";

/** Each way to play, before and after its run, and the pages of the articles. */
export async function takePlayground(camera: Camera): Promise<void> {
  using served = await servePlayground();
  const take = (state: string, hash: string, act: (page: Page) => Promise<void>) =>
    camera.take(state, `${served.url}${hash}`, act);
  await take("play-start", "", async (page) => {
    await untilSimulated(page);
    await page.waitForTimeout(1_000);
  });
  await take("play-lesson", "#lesson=node-dead", untilSimulated);
  await take("play-predicted", "#lesson=node-dead", predict);
  await take("play-debrief", "#lesson=node-dead", async (page) => {
    await predict(page);
    await page.getByRole("button", { name: "Show the end" }).click();
    await page.waitForTimeout(1_500);
  });
  await take("play-sandbox", sandbox, untilSimulated);
  await take("play-middle", `${sandbox}&t=66`, untilSimulated);
  await take("play-share", `${sandbox}&t=66`, async (page) => {
    await untilSimulated(page);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("region", { name: "Share" }).scrollIntoViewIfNeeded();
  });
  await take("play-kubectl", `${sandbox}&t=66`, async (page) => {
    await untilSimulated(page);
    await page.getByRole("button", { name: "Open kubectl" }).click();
    const line = page.getByRole("combobox", { name: "kubectl command" });
    await line.fill("get pods -o wide");
    await line.press("Escape");
    await line.press("Enter");
    await page
      .getByRole("log", { name: "Answers" })
      .getByText(/NAME +READY/)
      .waitFor({ timeout });
  });
  await take("play-race", "#scenario=node-dead&set=profile%3Dkubernetes&rival=profile%3Dfast", async (page) => {
    await untilSimulated(page);
    await page
      .getByRole("region", { name: "Race" })
      .getByRole("img", { name: /^Pods over time of profile=fast/ })
      .waitFor({ timeout });
    const time = page.getByLabel("Time", { exact: true });
    await time.fill((await time.getAttribute("max")) ?? "");
    await page.evaluate("scrollTo(0, 0)");
    await page.waitForTimeout(800);
  });
  await take("play-survive", "#survive=7", async (page) => {
    await untilSimulated(page);
    const time = page.getByLabel("Time", { exact: true });
    await time.fill(String(Number(await time.getAttribute("min")) + 130_000));
    await page.evaluate("scrollTo(0, 0)");
    await page.waitForTimeout(800);
  });
  await take("play-refusal", "#scenario=node-dead&set=run%3D9999h", async (page) => {
    await page.getByText(/at most 60 minutes/).waitFor({ timeout });
  });
  for (const article of ["kubelet", "minion", "restartable-pods", "node-offline"])
    await take(`article-${article}`, `articles/${article}.html`, async (page) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
    });
}
