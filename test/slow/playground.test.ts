import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { playScenario, readScenario } from "@kintsugi/simulator/factory";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePlayground } from "../support/dashboard/serve-playground.ts";
import { repository } from "../support/lab-cluster.ts";

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

/** The sentence about the run; lessons have their own statuses. */
function statusOf(page: Page) {
  return page.locator(".playground > [role=status]");
}

/** Waits for the next run, and returns the beginning of its digest. */
async function digestShown(page: Page): Promise<string> {
  const status = statusOf(page);
  await status.getByText(/The digest of/).waitFor({ timeout: 120_000 });
  const [, digest] = /is ([0-9a-f]{12}) on every machine/.exec(await status.innerText()) ?? [];
  if (digest === undefined) throw new Error(`no digest is in "${await status.innerText()}"`);
  return digest;
}

async function digestUnderNode(name: string): Promise<string> {
  const text = readFileSync(join(repository, `apps/simulator/scenarios/${name}.yaml`), "utf8");
  return (await playScenario(readScenario({ text, source: name }))).digest.slice(0, 12);
}

test("a cluster in the browser equals a cluster under Node.js", async () => {
  const page = await browser.open(`${url}#scenario=partition-within-grace`);
  expect(await digestShown(page)).toBe(await digestUnderNode("partition-within-grace"));
  await page.getByRole("button", { name: /^Campaign/ }).click();
  await page.getByText("Many nodes").click();
  await page.getByRole("button", { name: "15. Half of a zone" }).click();
  await page.getByText("Does the budget delay the repair?").waitFor();
  await digestShown(page);
  await page.getByRole("radio", { name: "No", exact: true }).check();
  await page.getByRole("button", { name: "Predict, then see" }).click();
  await page.getByRole("button", { name: "Show the end" }).click();
  await page.getByText("You were right: No.").waitFor();
  await page.getByText("No. A budget delays only evictions of ready pods").waitFor();
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
  await lesson.getByText("For how many seconds does web have fewer pods").waitFor();
  // The future is not shown before it was predicted.
  expect(await turns.getByText(/has all of its 6 pods again/).count()).toBe(0);
  const answer = lesson.getByRole("spinbutton", { name: /Your prediction/ });
  expect(await lesson.getByRole("button", { name: "Predict, then see" }).isDisabled()).toBe(true);
  await answer.fill("60");
  await answer.press("Enter");
  await lesson.getByText("You said: 1 min.").waitFor();
  await lesson.getByRole("button", { name: "Show the end" }).click();
  await lesson.getByText(/It was different: 5 min 49 s, 4 min 49 s from your guess\./).waitFor();
  await turns.getByText(/has all of its 6 pods again/).waitFor();
  const goal = lesson.getByRole("region", { name: "Goal" });
  await goal.getByText(/Not yet\. web: degraded for 5 min/).waitFor();
  await goal.getByRole("button", { name: "Hint 1 of 3" }).click();
  await goal.getByText("Which timer is longer?").waitFor();
  const knob = goal.getByLabel("Pods stay for");
  expect(await knob.getByRole("option").allInnerTexts()).toEqual(["as it is: 5 min", "0 s", "30 s", "10 min"]);
  await knob.selectOption("0s");
  await goal.getByText(/The goal is met\. web: degraded for \d\d s of at most 1 min; 1 change of at most 2\./).waitFor({
    timeout: 120_000,
  });
  // The changed run is shown at its end too.
  await page.getByText("10 min of 10 min", { exact: true }).waitFor();
  // The truth of the prediction is that of the lesson's run, whatever the learner changes.
  await lesson.getByText(/It was different: 5 min 49 s, 4 min 49 s from your guess\./).waitFor();
  await lesson.getByRole("button", { name: /^1\. A node dies.*done/ }).waitFor();
  expect(await page.evaluate("localStorage.getItem('kintsugi.lessons')")).toContain("node-dead");
  expect(browser.faults).toEqual([]);
});

test("a mark is drawn by keyboard next to the truth, and an example cluster is rehearsed", async () => {
  const page = await browser.open(url);
  await digestShown(page);
  const lesson = page.getByRole("navigation", { name: "Lessons" });
  await lesson.getByText("Many nodes").click();
  await lesson.getByRole("button", { name: "18. No room is left" }).click();
  const mark = lesson.getByRole("slider", { name: "Your mark" });
  // The mark appears once the lesson's run is simulated, so that it has the length of this run.
  await mark.waitFor({ timeout: 120_000 });
  await mark.press("End");
  await lesson.getByText("at 15 min", { exact: true }).waitFor();
  await lesson.getByRole("button", { name: "Predict, then see" }).click();
  await lesson.getByRole("button", { name: "Show the end" }).click();
  await lesson.getByText("It was different: at 11 min, 4 min from your guess.").waitFor();
  await lesson.getByRole("img", { name: "your mark at 15 min, the truth at 11 min" }).waitFor();
  await lesson.getByText("Your own cluster").click();
  await lesson.getByRole("button", { name: "28. Which drain never ends?" }).click();
  await lesson.getByRole("radio", { name: "The first node blocks the drain" }).check();
  await lesson.getByRole("button", { name: "Predict, then see" }).click();
  await lesson.getByText("You were right: The first node blocks the drain.").waitFor({ timeout: 120_000 });
  await lesson.getByRole("region", { name: "Report" }).getByText("STOPS at node-1").waitFor();
  expect(browser.faults).toEqual([]);
});

test("a viewer kills a node at the playhead, shares the result, and undoes it", async () => {
  const page = await browser.open(`${url}#scenario=partition-within-grace&set=profile%3Dfast`);
  const before = await digestShown(page);
  await page
    .getByLabel("Time", { exact: true })
    .fill(String(Number(await page.getByLabel("Time", { exact: true }).getAttribute("min")) + 65_000));
  await page.getByRole("combobox", { name: "Node", exact: true }).first().selectOption("node-1");
  const kill = page.getByRole("button", { name: "Kill it", description: /^A fault begins at 1 min 5 s of the run/ });
  await kill.click();
  await page.getByRole("button", { name: "Undo it" }).waitFor();
  await page.getByRole("region", { name: "Turning points" }).getByText("kill-node node-1 forever").waitFor();
  const killed = await digestShown(page);
  expect(killed).not.toBe(before);
  await page.getByText("is mended").first().waitFor({ timeout: 60_000 });
  const address = page.url();
  expect(address).toContain("fault=kill-node%2Cnode-1%2C65000");
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
    await other.evaluate("scrollTo(0, 0)");
    await other.screenshot({ path: join(repository, "docs/pictures/playground.png") });
  }
  expect(browser.faults).toEqual([]);
});

test("kubectl acts on the cluster in the tab at the playhead, and a change is simulated and shared", async () => {
  const page = await browser.open(`${url}#scenario=partition-within-grace`);
  const before = await digestShown(page);
  await page.getByRole("button", { name: "Open kubectl" }).click();
  const line = page.getByRole("combobox", { name: "kubectl command" });
  const answers = page.getByRole("log", { name: "Answers" });
  const words = page.getByRole("listbox", { name: "Suggested words" });
  const run = async (text: string) => {
    await line.fill(text);
    await line.press("Escape");
    await line.press("Enter");
  };
  await run("get nodes");
  await answers.getByText(/NAME +STATUS +ROLES +AGE +VERSION\s+node-1 +Ready/).waitFor({ timeout: 60_000 });
  // A Tab completes the kind, the name, and the flag.
  await line.pressSequentially("scale repl");
  await words.getByRole("option", { name: "replicaset", exact: true }).waitFor();
  await line.press("Tab");
  await words.getByRole("option", { name: "web", exact: true }).waitFor();
  await line.press("Tab");
  await line.pressSequentially("--re");
  await words.getByRole("option", { name: "--replicas=", exact: true }).waitFor();
  await line.press("Tab");
  await line.pressSequentially("8");
  expect(await line.inputValue()).toBe("scale replicaset web --replicas=8");
  await line.press("Enter");
  await answers.getByText("replicaset.apps/web scaled").waitFor({ timeout: 60_000 });
  await expect.poll(() => digestShown(page), { timeout: 60_000 }).not.toBe(before);
  expect(new URL(page.url()).hash).toContain("kubectl=");
  await run("get rs web");
  await answers.getByText(/web +8 +8/).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "YAML" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await answers.getByText("pod/hello serverside-applied").waitFor({ timeout: 60_000 });
  await run("kubectl -n default get rs web --show-labels");
  await answers.getByText(/LABELS/).waitFor({ timeout: 60_000 });
  await run("kubectl taint node node-1 maintenance=soon:NoSchedule");
  await answers.getByText("node/node-1 tainted").waitFor({ timeout: 60_000 });
  await run("drain node-2 --force");
  await answers.getByText("node/node-2 cordoned").waitFor({ timeout: 60_000 });
  await run("frobnicate");
  await answers.getByText(/"frobnicate" is not a command here/).waitFor({ timeout: 60_000 });
  expect(browser.faults).toEqual([]);
});

test("a request that makes no sense is rejected with a sentence", async () => {
  const page = await browser.open(`${url}#scenario=node-dead&set=profile%3Dslow`);
  await statusOf(page)
    .getByText(/profile/)
    .waitFor({ timeout: 60_000 });
  expect(browser.faults).toEqual([]);
});

test.each(["light", "dark"] as const)("axe-core has no serious complaint when the page is %s", async (colorScheme) => {
  const page = await browser.open(url, { colorScheme, width: colorScheme === "dark" ? 375 : 1280 });
  await digestShown(page);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>("axe.run({ resultTypes: ['violations'] })");
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
});
