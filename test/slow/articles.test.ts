import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRequest, recordScenario } from "@kintsugi/simulator/factory";
import { shortagesOf, type StoryRecording } from "@kintsugi/story";
import axe from "axe-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { figures, requestAt } from "../../apps/dashboard/src/articles/figures.ts";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePlayground } from "../support/dashboard/serve-playground.ts";
import { repository } from "../support/lab-cluster.ts";

const pages = join(repository, "apps/dashboard/playground/articles");
const names = readdirSync(pages).map((file) => file.replace(/\.html$/, ""));
const scenarios = join(repository, "apps/simulator/scenarios");
const texts = new Map(
  readdirSync(scenarios).map((file) => [file.replace(/\.yaml$/, ""), readFileSync(join(scenarios, file), "utf8")]),
);

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

async function live(name: string, index = 0): Promise<StoryRecording> {
  const figure = figures[name];
  if (figure === undefined) throw new Error(`there is no figure ${name}`);
  const request = requestAt(figure, index);
  const { report, story } = await recordScenario(readRequest(request, texts), request.commands);
  expect(report.failure).toBeUndefined();
  return story();
}

function degradedSeconds(recording: StoryRecording, workload: string): number {
  const samples = recording.pods?.find((each) => each.workload === workload)?.samples ?? [];
  return Math.round(shortagesOf(samples, recording.toMs).degradedMs / 1000);
}

function restartsOf(recording: StoryRecording, workload: string): number {
  return recording.pods?.find((each) => each.workload === workload)?.counts?.restarts ?? -1;
}

function timesOf({ steps }: StoryRecording, pod: string, what: string): number {
  return steps.filter((step) => step.name === pod && step.what === what).length;
}

test("each figure of a page can be simulated, and each figure is on a page", () => {
  const used = names.flatMap((name) =>
    [...readFileSync(join(pages, `${name}.html`), "utf8").matchAll(/data-figure="([^"]+)"/g)].map(([, each]) => each),
  );
  expect(new Set(used)).toEqual(new Set(Object.keys(figures)));
});

test("the toleration is the longer wait, and an earlier NotReady moves pods earlier by the same time", async () => {
  expect(degradedSeconds(await live("toleration"), "web")).toBe(349);
  expect(degradedSeconds(await live("toleration", 2), "web")).toBeLessThan(60);
  expect(degradedSeconds(await live("node-silent", 2), "web")).toBeLessThan(330);
}, 240_000);

test("an exit code of 0 is restarted like a crash, and only a long run resets the delays", async () => {
  const crashes = restartsOf(await live("exit-codes"), "broken");
  expect(restartsOf(await live("exit-codes", 1), "broken")).toBe(crashes);
  const steps = (recording: StoryRecording) =>
    recording.steps.filter(({ what }) => what === "container-running").map(({ timeMs }) => timeMs);
  const pauses = (recording: StoryRecording) =>
    steps(recording)
      .slice(1)
      .map((ms, index) => ms - (steps(recording)[index] ?? 0));
  expect(Math.max(...pauses(await live("reset", 2)))).toBeLessThan(680_000);
  expect(Math.max(...pauses(await live("reset")))).toBeGreaterThan(320_000);
}, 240_000);

test("a slow start is killed by its liveness probe, and is not killed with a startupProbe", async () => {
  expect(timesOf(await live("slow-start"), "slow", "container-running")).toBeGreaterThan(3);
  expect(timesOf(await live("slow-start-probed"), "slow", "container-running")).toBe(1);
}, 240_000);

test("a taint evicts in spite of a budget, and a StatefulSet waits for its node", async () => {
  const lost = await live("budget");
  expect(lost.pods?.find(({ workload }) => workload === "web")?.counts?.created).toBe(2);
  const waiting = await live("volumes");
  expect(waiting.pods?.find(({ workload }) => workload === "web")?.counts?.created).toBe(0);
  expect(degradedSeconds(waiting, "web")).toBeGreaterThan(500);
  // The user's confirmation allows the volumes and the pods to move to other nodes.
  const followed = await live("volumes-follow");
  expect(followed.pods?.find(({ workload }) => workload === "web")?.counts?.created).toBe(2);
  expect(degradedSeconds(followed, "web")).toBeLessThan(240);
}, 240_000);

test.each(names)("the article %s is small until a figure is used, and passes axe-core", async (name) => {
  served.sent.clear();
  const page = await browser.open(`${served.url}articles/${name}.html`);
  await page
    .getByRole("button", { name: /^Live it/ })
    .first()
    .waitFor();
  expect([...served.sent.keys()].some((path) => path.includes("simulator"))).toBe(false);
  expect([...served.sent.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(30_000);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
  expect(browser.faults).toEqual([]);
});

test("a figure is simulated, and its knob is turned by keyboard", async () => {
  const page = await browser.open(`${served.url}articles/node-offline.html`);
  const figure = page.locator("figure[data-figure=toleration]");
  await figure.getByRole("button", { name: "Live it: Pods stay on a dead node" }).click();
  const progress = figure.getByRole("progressbar", { name: "The run is simulated" });
  await progress.and(page.locator("[value]")).waitFor({ timeout: 60_000 });
  await figure.getByRole("img", { name: /web was degraded for 5 min 49 s/ }).waitFor({ timeout: 60_000 });
  await figure.getByRole("slider", { name: /Toleration of a pod/ }).press("End");
  await figure.getByRole("img", { name: /web was degraded for 49 s/ }).waitFor({ timeout: 60_000 });
  await progress.waitFor({ state: "detached" });
  await figure.getByText("1:49 node-2 counts as silent").waitFor();
  const address = await figure.getByRole("link", { name: "Open this run in the playground" }).getAttribute("href");
  expect(address).toContain("timers.pod-eviction-timeout%3D0s");
  expect(browser.faults).toEqual([]);
});

test("a lesson is loaded in its frame when a reader opens it", async () => {
  served.sent.clear();
  const page = await browser.open(`${served.url}articles/node-offline.html`);
  const opening = page.getByText("Play the lesson “A node dies” here (4 min)");
  await opening.waitFor();
  expect([...served.sent.keys()].some((path) => path.includes("index.html"))).toBe(false);
  await opening.press("Enter");
  const lesson = page.frameLocator("iframe");
  await lesson
    .getByText("For how many seconds does web have fewer pods than it requests?")
    .waitFor({ timeout: 60_000 });
  expect(browser.faults).toEqual([]);
});
