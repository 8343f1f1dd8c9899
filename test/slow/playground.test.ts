import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { playScenario, readScenario } from "@kintsugi/simulator/factory";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { repository } from "../support/lab-cluster.ts";

const folders = ["apps/dashboard/playground/bundle", "apps/playground/bundle"].map((each) => join(repository, each));
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

let server: Server;
let browser: Browser;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname === "/" ? "/index.html" : pathname;
    const found = Promise.any(folders.map((folder) => readFile(join(folder, path))));
    found.then(
      (content) =>
        response
          .writeHead(200, { "content-type": contentTypes[extname(path)] ?? "application/octet-stream" })
          .end(content),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  server?.closeAllConnections();
  server?.close();
});

/** The sentence about the life; lessons have statuses of their own. */
function statusOf(page: Page) {
  return page.locator(".playground > [role=status]");
}

/** Waits for the next life, and returns the beginning of its digest. */
async function digestShown(page: Page): Promise<string> {
  const status = statusOf(page);
  await status.getByText(/The digest of/).waitFor({ timeout: 120_000 });
  return /life is ([0-9a-f]{12})/.exec(await status.innerText())?.[1] ?? "";
}

async function digestUnderNode(name: string): Promise<string> {
  const text = readFileSync(join(repository, `apps/simulator/scenarios/${name}.yaml`), "utf8");
  return (await playScenario(readScenario({ text, source: name }))).digest.slice(0, 12);
}

test("a cluster is in the browser as it does under Node", async () => {
  const page = await browser.open(`${url}#scenario=partition-within-grace`);
  expect(await digestShown(page)).toBe(await digestUnderNode("partition-within-grace"));
  await page.getByText("Many nodes").click();
  await page.getByRole("button", { name: "15. Half of a zone" }).click();
  await page.getByText("Does the budget hold up the cure?").waitFor();
  await page.getByText("A cluster lives through it").waitFor({ state: "detached" });
  await digestShown(page);
  await page.getByRole("radio", { name: "No", exact: true }).check();
  await page.getByRole("button", { name: "Predict, then see" }).click();
  await page.getByRole("button", { name: "Show the end" }).click();
  await page.getByText("You were right: No.").waitFor();
  await page.getByText("No. A budget holds up what would make things worse").waitFor();
  // The prediction is right, and the goal of the lesson is still open.
  await page
    .getByRole("region", { name: "Goal" })
    .getByText(/Not yet\./)
    .waitFor();
  expect(browser.faults).toEqual([]);
});

test("a lesson is played: predicted with its future hidden, judged, and its goal missed and met", async () => {
  const page = await browser.open(url);
  await digestShown(page);
  const turns = page.getByRole("region", { name: "Turning points" });
  const lesson = page.getByRole("navigation", { name: "Lessons" });
  await lesson.getByText("For how many seconds has web fewer pods").waitFor();
  // The future is not shown before it was predicted.
  expect(await turns.getByText(/has all of its 6 pods again/).count()).toBe(0);
  const answer = lesson.getByRole("spinbutton", { name: /Your prediction/ });
  expect(await lesson.getByRole("button", { name: "Predict, then see" }).isDisabled()).toBe(true);
  await answer.fill("60");
  await answer.press("Enter");
  await lesson.getByText("You said: 1 min.").waitFor();
  await lesson.getByRole("button", { name: "Show the end" }).click();
  await lesson.getByText(/It was otherwise: 5 min 49 s, 4 min 49 s from your guess\./).waitFor();
  await turns.getByText(/has all of its 6 pods again/).waitFor();
  const goal = lesson.getByRole("region", { name: "Goal" });
  await goal.getByText(/Not yet\. web: degraded for 5 min/).waitFor();
  await goal.getByRole("button", { name: "Hint 1 of 3" }).click();
  await goal.getByText("Which is the longer one?").waitFor();
  await goal.getByLabel("Pods stay for").selectOption("0s");
  await goal.getByText(/The goal is met\. web: degraded for \d\d s of at most 1 min; 1 change of at most 2\./).waitFor({
    timeout: 120_000,
  });
  await lesson.getByRole("button", { name: /^1\. A node dies.*done/ }).waitFor();
  expect(await page.evaluate("localStorage.getItem('kintsugi.lessons')")).toContain("node-dead");
  expect(browser.faults).toEqual([]);
});

test("a mark is drawn by keyboard beside the truth, and an example cluster is rehearsed", async () => {
  const page = await browser.open(url);
  await digestShown(page);
  const lesson = page.getByRole("navigation", { name: "Lessons" });
  await lesson.getByText("Many nodes").click();
  await lesson.getByRole("button", { name: "18. No room is left" }).click();
  const mark = lesson.getByRole("slider", { name: "Your mark" });
  await page.getByText("A cluster lives through it").waitFor({ state: "detached", timeout: 120_000 });
  await mark.press("End");
  await lesson.getByText("at 15 min", { exact: true }).waitFor();
  await lesson.getByRole("button", { name: "Predict, then see" }).click();
  await lesson.getByRole("button", { name: "Show the end" }).click();
  await lesson.getByText("It was otherwise: at 11 min, 4 min from your guess.").waitFor();
  await lesson.getByRole("img", { name: "your mark at 15 min, the truth at 11 min" }).waitFor();
  await lesson.getByText("Your own cluster").click();
  await lesson.getByRole("button", { name: "28. Which drain never ends?" }).click();
  await lesson.getByRole("radio", { name: "The first node stops it" }).check();
  await lesson.getByRole("button", { name: "Predict, then see" }).click();
  await lesson.getByText("You were right: The first node stops it.").waitFor({ timeout: 120_000 });
  await lesson.getByRole("region", { name: "Report" }).getByText("STOPS at node-1").waitFor();
  expect(browser.faults).toEqual([]);
});

test("a viewer kills a node at the playhead, shares what follows, and takes it back", async () => {
  const page = await browser.open(`${url}#scenario=partition-within-grace&set=profile%3Dfast`);
  const before = await digestShown(page);
  await page
    .getByLabel("Time", { exact: true })
    .fill(String(await page.getByLabel("Time", { exact: true }).getAttribute("min")));
  await page.getByRole("combobox", { name: "Node", exact: true }).first().selectOption("node-1");
  await page.getByRole("button", { name: "Kill it" }).click();
  await page.getByRole("button", { name: "Undo it" }).waitFor();
  await page.getByRole("region", { name: "Turning points" }).getByText("kill node node-1 for ever").waitFor();
  const killed = await digestShown(page);
  expect(killed).not.toBe(before);
  await page.getByText("is mended").first().waitFor({ timeout: 60_000 });
  const address = page.url();
  expect(address).toContain("fault=kill-node%2Cnode-1%2C");
  await page.getByRole("button", { name: "Undo it" }).click();
  await page.getByRole("button", { name: "Undo it" }).waitFor({ state: "detached" });
  await expect.poll(() => digestShown(page), { timeout: 60_000 }).toBe(before);
  const other = await browser.open(address);
  expect(await digestShown(other)).toBe(killed);
  if (process.env["KINTSUGI_PICTURES"] !== undefined) {
    await mkdir(join(repository, "docs/pictures"), { recursive: true });
    const turns = other.getByRole("region", { name: "Turning points" });
    await turns.getByRole("button", { name: /node-1 counts as silent/ }).click();
    await other.waitForTimeout(500);
    await other.screenshot({ path: join(repository, "docs/pictures/playground.png") });
  }
  expect(browser.faults).toEqual([]);
});

test("a request that makes no sense is refused with a sentence", async () => {
  const page = await browser.open(`${url}#scenario=node-dead&set=profile%3Dslow`);
  await statusOf(page)
    .getByText(/profile/)
    .waitFor({ timeout: 60_000 });
  expect(browser.faults).toEqual([]);
});

test.each(["light", "dark"] as const)("axe-core finds nothing serious on it when it is %s", async (colorScheme) => {
  const page = await browser.open(url, { colorScheme, width: colorScheme === "dark" ? 375 : 1280 });
  await digestShown(page);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>("axe.run({ resultTypes: ['violations'] })");
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
});
