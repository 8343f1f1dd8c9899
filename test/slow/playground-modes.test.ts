import { readFile, stat } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePlayground } from "../support/dashboard/serve-playground.ts";

let served: Awaited<ReturnType<typeof servePlayground>>;
let browser: Browser;
let url: string;

beforeAll(async () => {
  served = await servePlayground();
  ({ url } = served);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  served?.[Symbol.dispose]();
});

const simulatedMs = 240_000;

async function untilSimulated(page: Page): Promise<void> {
  await page
    .locator(".playground > [role=status]")
    .getByText(/The digest of/)
    .waitFor({ timeout: simulatedMs });
}

async function saved(page: Page, button: string): Promise<{ name: string; path: string }> {
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: 60_000 }),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

test("a moment is shared by a link, by two pictures and by a film of the last recovery", async () => {
  const page = await browser.open(`${url}#scenario=node-dead&set=profile%3Dfast&t=65.5`);
  await untilSimulated(page);
  const passed = page.locator(".player .passed");
  expect(await passed.innerText()).toContain("1 min 6 s of 10 min");
  await page.getByRole("button", { name: "Share" }).click();
  const panel = page.getByRole("region", { name: "Share" });
  const link = await panel.locator("code").innerText();
  expect(link).toBe(`${url}#scenario=node-dead&set=profile%3Dfast&t=65.5`);
  const png = await saved(page, "Picture of this moment (PNG)");
  expect(png.name).toBe("kintsugi-node-dead.png");
  expect((await readFile(png.path)).subarray(1, 4).toString("latin1")).toBe("PNG");
  await panel.getByText(/^Saved kintsugi-node-dead\.png, this moment, \d+ kB$/).waitFor();
  const svg = await readFile((await saved(page, "Picture of the whole run (SVG)")).path, "utf8");
  expect(svg).toMatch(/aria-label="node-dead: web was degraded for \d+ s"/);
  const film = await saved(page, "Film of the last recovery");
  expect(film.name).toBe("kintsugi-node-dead.webm");
  // The file begins with the mark of EBML, and has more than a still picture.
  expect((await readFile(film.path)).subarray(0, 4).toString("hex")).toBe("1a45dfa3");
  expect((await stat(film.path)).size).toBeGreaterThan(50_000);
  await panel.getByText(/^Saved kintsugi-node-dead\.webm, the last recovery, \d+ kB$/).waitFor();
  // The playhead is where it was.
  expect(await passed.innerText()).toContain("1 min 6 s of 10 min");
  expect(browser.faults).toEqual([]);
});

test("two runs race side by side, and the run with less degraded time wins", async () => {
  const page = await browser.open(`${url}#scenario=node-dead&set=profile%3Dkubernetes&rival=profile%3Dfast`);
  await untilSimulated(page);
  const race = page.getByRole("region", { name: "Race" });
  await race
    .getByRole("img", { name: /^Pods over time of the run with fast timers/ })
    .waitFor({ timeout: simulatedMs });
  await race
    .getByRole("img", { name: /^Pods over time of the run with Kubernetes' timers: degraded for 0 s/ })
    .waitFor();
  // The runs are drawn before the playhead moves.
  const isDrawn = `(() => {
    const canvas = document.querySelector(".race canvas");
    return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
  })()`;
  await expect.poll(() => page.evaluate(isDrawn)).toBe(true);
  const time = page.getByLabel("Time", { exact: true });
  await time.fill((await time.getAttribute("max")) ?? "");
  await race.getByText(/^The run with fast timers wins: degraded for \d+(\.\d)? s against 5 min 49 s\.$/).waitFor();
  const offered = await race.getByRole("option").allInnerTexts();
  expect(offered).toContain("with pods that stay for 0 s on a silent node");
  expect(offered.filter((words) => words.includes("="))).toEqual([]);
  await race.getByRole("combobox").selectOption("");
  await race.getByRole("img").first().waitFor({ state: "detached" });
  expect(page.url()).not.toContain("rival");
  expect(browser.faults).toEqual([]);
});

test("every player gets the same faults of a seed, hidden until they occur, and kubectl lowers the score", async () => {
  const page = await browser.open(`${url}#survive=7`);
  await untilSimulated(page);
  const game = page.getByRole("region", { name: "Survive" });
  await game.getByText("the same faults for all players").waitFor();
  const turns = page.getByRole("region", { name: "Turning points" });
  expect(await turns.getByText(/The fault begins/).count()).toBe(0);
  const time = page.getByLabel("Time", { exact: true });
  const from = Number(await time.getAttribute("min"));
  await time.fill(String(from + 130_000));
  await page.getByRole("button", { name: "Open kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl command" });
  await line.fill("delete node node-2");
  await line.press("Escape");
  await line.press("Enter");
  await page.getByText('node "node-2" deleted').waitFor({ timeout: simulatedMs });
  await page.waitForURL(/survive=7&kubectl=130000%2Cdelete\+node\+node-2/);
  await untilSimulated(page);
  await time.fill((await time.getAttribute("max")) ?? "");
  await game.getByText("You have seen the end.").waitFor();
  await game.getByText(/Your best to the end: \d+ min/).waitFor();
  expect(await page.evaluate("localStorage.getItem('kintsugi.survive')")).toMatch(/^\{"7":\d+\}$/);
  expect(browser.faults).toEqual([]);
});

test.each([
  [
    "with markup",
    "#scenario=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&t=5",
    /there is no scenario "<img src=x onerror=alert\(1\)>"/,
  ],
  ["of a year", "#scenario=node-dead&set=run%3D9999h", /at most 60 minutes/],
  ["of 99,999 pods", "#scenario=node-dead&set=workloads.web.replicas%3D99999", /replicas|1000/],
  ["with 30 faults", `#scenario=node-dead&${"fault=kill-node,node-1,5&".repeat(30)}`, /at most 20 added faults/],
  ["of a prototype", "#scenario=__proto__&set=constructor.prototype.x%3D1", /there is no scenario/],
])("a crafted address %s is rejected with one sentence, and no run starts", async (_what, hash, sentence) => {
  const page = await browser.open(`${url}${hash}`);
  await page.locator(".playground > [role=status]").getByText(sentence).waitFor({ timeout: 60_000 });
  expect(browser.faults).toEqual([]);
});
