import { deployments, pods } from "@kintsugi/api";
import { aDeployment, aPod } from "@kintsugi/simulation";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { isInView } from "../support/dashboard/in-view.ts";
import { admin, type PacedCluster, startPacedCluster } from "../support/dashboard/paced-cluster.ts";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";

const cannot = sayWhyNot("pages in a browser", whyNoPackage("chromium"));

let cluster: PacedCluster;
let browser: Browser;
let url: string;

beforeAll(async () => {
  if (cannot) return;
  [cluster, browser] = await Promise.all([startPacedCluster({ nodes: 3 }), startBrowser()]);
  url = await cluster.serve(admin);
  await cluster.during((client) => client.create(deployments, aDeployment("web", 6)));
  await cluster.skip(40_000);
});

beforeEach(({ skip }) => skip(cannot));

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const sizes = [
  { width: 1280, height: 800 },
  { width: 375, height: 812 },
] as const;

/** The page as in a lab of this host: actions are recorded, and performed by the test. */
async function openLab(size: (typeof sizes)[number]): Promise<{ page: Page; actions: string[] }> {
  const actions: string[] = [];
  const page = await browser.open(url, size);
  const machine = { power: "on", link: "up", kubelet: "running" };
  const nodes = Object.fromEntries(["node-1", "node-2", "node-3"].map((name) => [name, machine]));
  await page.route("**/lab/status", (route) => route.fulfill({ json: { nodes } }));
  await page.route("**/lab/way", (route) => route.fulfill({ json: { name: "night" } }));
  await page.route("**/lab/actions", (route) => {
    actions.push(route.request().postData() ?? "");
    return route.fulfill({ body: "It is done." });
  });
  await page.reload();
  await page.getByRole("button", { name: "Break something" }).waitFor();
  return { page, actions };
}

/**
 * Reports whether now is in the picture, and the picture is visible from its top to the end of the
 * second lane.
 */
async function nowIsFree(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { top, left, width } = document.querySelector("canvas").getBoundingClientRect();
    const places = [[0.72, 12], [0.72, 60], [0.72, 120], [0.72, 200], [0.9, 12], [0.9, 60], [0.9, 120], [0.9, 200]];
    const atPlace = ([x, y]) => document.elementFromPoint(left + width * x, top + y);
    return places.every((place) => atPlace(place)?.closest(".scroller") !== null);
  })()`);
}

const look = (page: Page) => page.getByRole("region", { name: "First look" });

describe.each(sizes)("at $width × $height", (size) => {
  test("the first look answers its three questions without scrolling", async () => {
    const page = await browser.open(url, size);
    await look(page).getByRole("heading", { name: "All is well" }).waitFor();
    await look(page).getByText("3 of 3 nodes Ready, 6 of 6 pods Ready").waitFor();
    await look(page).getByText("Degraded so far").waitFor();
    expect(await isInView(page, ".look")).toBe(true);
    expect(await nowIsFree(page)).toBe(true);
  });

  test("the panel of faults opens without covering the present state, the timers and the sentence, and fits the width", async () => {
    const { page } = await openLab(size);
    await page.getByRole("button", { name: "Break Node node-2" }).first().click();
    const panel = page.getByRole("dialog", { name: "Node node-2" });
    await panel.getByRole("button", { name: "Kill the machine" }).waitFor();
    await panel.getByText("kintsugi node kill node-2 --name night").waitFor();
    // The page scrolls to the picture with a delay, which is longer on a busy machine.
    await expect.poll(() => isInView(page, ".look"), { timeout: 5_000 }).toBe(true);
    await expect.poll(() => nowIsFree(page), { timeout: 5_000 }).toBe(true);
    expect(await isInView(page, ".detail > .head")).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size.width);
  });
});

test("the key b opens the panel of faults without a fault, and is a letter in a field", async () => {
  const { page, actions } = await openLab(sizes[0]);
  await page.keyboard.press("b");
  const panel = page.getByRole("dialog");
  await panel.getByRole("tab", { name: "Break", selected: true }).waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await page.getByLabel("Workload").focus();
  await page.keyboard.press("b");
  await page.waitForTimeout(200);
  expect(await panel.count()).toBe(0);
  expect(actions).toEqual([]);
});

test("a pod in the table is deleted or evicted, each with its command", async () => {
  const { page, actions } = await openLab(sizes[0]);
  await page
    .getByRole("button", { name: /^Break Pod web-/ })
    .first()
    .click();
  const panel = page.getByRole("dialog", { name: /^Pod web-/ });
  await panel.getByText(/^kubectl --context kintsugi-night -n default delete pod web-/).waitFor();
  await panel.getByText(/^kubectl --context kintsugi-night create --raw .*\/eviction/).waitFor();
  await panel.getByRole("button", { name: "Evict", exact: true }).click();
  await panel.getByText("It is done.").waitFor();
  await panel.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(() => actions.length).toBe(2);
  expect(actions.map((action) => (JSON.parse(action) as { is: string }).is)).toEqual(["evict", "delete"]);
});

test("the focus moves to a neighbor when the row that opened a panel was removed", async () => {
  await cluster.during((client) => client.create(pods, aPod("brief", {})));
  const page = await browser.open(url);
  const table = page.getByRole("region", { name: "Nodes and pods" });
  await table.getByRole("button", { name: "Pod default/brief" }).click();
  const panel = page.getByRole("dialog", { name: "Pod brief" });
  await panel.waitFor();
  await cluster.during((client) => client.delete(pods, { namespace: "default", name: "brief" }));
  await table.getByRole("button", { name: "Pod default/brief" }).waitFor({ state: "detached", timeout: 60_000 });
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "detached" });
  const place = "document.activeElement.closest('section[aria-labelledby=things-title]') !== null";
  expect(await page.evaluate(place)).toBe(true);
});

test("a copy is confirmed, even if the page may not use the clipboard", async () => {
  const { page } = await openLab(sizes[0]);
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))");
  await page.getByRole("button", { name: "Break Node node-1" }).first().click();
  await page.getByRole("button", { name: "Copy kintsugi node kill node-1 --name night" }).click();
  await page.getByText("Chosen: press Ctrl+C").first().waitFor();
  expect(await page.evaluate("getSelection().toString()")).toBe("kintsugi node kill node-1 --name night");
  await page.evaluate("navigator.clipboard.writeText = () => Promise.resolve()");
  await page.getByRole("button", { name: "Copy kintsugi node kill node-1 --name night" }).click();
  await page.getByText("Copied").first().waitFor();
});

test("a node's death is shown as a sentence that counts down, and its cost as a single number", async () => {
  const page = await browser.open(url, sizes[1]);
  await look(page).getByRole("heading", { name: "All is well" }).waitFor();
  expect(await look(page).locator(".amount").innerText()).toBe("0 s");
  cluster.cluster.killNode("node-2");
  await look(page)
    .getByText(/node-2 has been silent for .* it counts as NotReady/)
    .waitFor();
  await look(page)
    .getByText(/ is evicted| are evicted/)
    .waitFor();
  await look(page).getByText("node-2 is NotReady, web runs 4 of 6 pods").first().waitFor();
  expect(await isInView(page, ".look")).toBe(true);
  await look(page).getByText("Its pods run on other nodes, and no timer waits for it.").waitFor({ timeout: 30_000 });
  expect(await look(page).locator(".amount").innerText()).toMatch(/^[4-9]\.\d s$|^1\d s$/);
  cluster.cluster.returnNode("node-2");
  await look(page).getByRole("heading", { name: "All is well" }).waitFor({ timeout: 30_000 });
  await look(page)
    .getByText(/The last fault was repaired .* ago: node-2 lost its pods/)
    .waitFor();
  expect(browser.faults).toEqual([]);
});
