import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePage } from "../support/dashboard/serve-page.ts";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";

const cannot = sayWhyNot("pages in a browser", whyNoPackage("chromium"));

let browser: Browser;
let directory: string;
let page: Page;
let served: AsyncDisposable & { readonly url: string };

const markup = `</script></style><img src=x onerror="alert(1)"><script>alert(2)</script>`;
const scenario = [
  `description: ${JSON.stringify(markup)}`,
  "profile: default",
  "run: 10m",
  "nodes: 3",
  "workloads:",
  "  - { name: web, replicas: 6, cpu: 500m }",
  "faults:",
  "  - { at: 1m, fault: kill-node, node: node-2, stays: true }",
];

beforeAll(async () => {
  if (cannot) return;
  [browser, directory] = await Promise.all([startBrowser(), mkdtemp(join(tmpdir(), "kintsugi-recording-"))]);
  const [file, out] = [join(directory, "death.yaml"), join(directory, "out.html")];
  await writeFile(file, scenario.join("\n"));
  await promisify(execFile)(process.execPath, [join(repository, "bin/kintsugi"), "simulate", file, "--html", out]);
  served = await servePage(out);
  page = await browser.open(served.url);
});

beforeEach(({ skip }) => skip(cannot));

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await served?.[Symbol.asyncDispose]();
  if (!cannot) await rm(directory, { recursive: true, force: true });
});

const region = (name: string) => page.getByRole("region", { name });
const turn = (name: RegExp) => region("Turning points").getByRole("button", { name });

async function keepPicture(name: string): Promise<void> {
  if (process.env["KINTSUGI_PICTURES"] === undefined) return;
  await mkdir(join(repository, "docs/pictures"), { recursive: true });
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(repository, `docs/pictures/recording-${name}.png`) });
}

test("a simulated run is watched: captions lead to its turning points, timers run, and playing reaches the end", async () => {
  const web = region("Downtime").getByRole("row", { name: /web/ });
  await web.getByText("6 of 6").waitFor();
  await turn(/node-2 counts as silent/).click();
  await web.getByText("4 of 6").waitFor();
  await region("What is awaited").getByText("toleration").first().waitFor();
  expect(await page.getByLabel("Player").getByText("node-2 counts as silent").isVisible()).toBe(true);
  await page.getByLabel("Speed").selectOption("60");
  await page.getByRole("button", { name: "Play" }).click();
  await region("Recoveries").getByText("is mended").waitFor();
  await web.getByText("6 of 6").waitFor();
  await keepPicture("mended");
});

test("the page follows the playhead when it moves back", async () => {
  await turn(/All is well/).click();
  await region("Downtime").getByRole("row", { name: /web/ }).getByRole("cell").nth(2).getByText("0 s").waitFor();
  expect(await region("Recoveries").count()).toBe(0);
  expect(await page.getByRole("button", { name: /node-2 got the taint/ }).count()).toBe(0);
});

test("an object at that time is opened and explained, without a server", async () => {
  await turn(/node-2 counts as silent/).click();
  await region("Nodes and pods").getByRole("button", { name: "Node node-2" }).click();
  const panel = page.getByRole("dialog", { name: "Node node-2" });
  await panel.getByRole("heading", { name: "Conditions" }).waitFor();
  await panel.getByRole("tab", { name: "Why" }).click();
  await panel.getByText("Node node-2 does not respond").first().waitFor();
  // A simulated cluster has no supervisor that the command could reach.
  expect(await panel.getByText("kintsugi explain").count()).toBe(0);
  expect(await panel.getByRole("tab", { name: "Why" }).getAttribute("aria-selected")).toBe("true");
  await keepPicture("silent");
  await page.keyboard.press("Escape");
});

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Lists what axe-core finds, and how much wider than a telephone the page is. */
async function accessFaults(): Promise<string[]> {
  await page.setViewportSize({ width: 375, height: 812 });
  const surplus = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  // The page's own policy forbids third-party scripts, so axe-core is injected through the
  // debugger.
  const { violations } = await page.evaluate<AxeResults>(
    `(() => { ${axe.source}; return axe.run({ resultTypes: ["violations"] }); })()`,
  );
  await page.setViewportSize({ width: 1280, height: 900 });
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`),
    ...(surplus > 0 ? [`${surplus} pixels wider than the window`] : []),
  ];
}

test("markup in texts remains text, no request is sent, and axe-core does not find a fault", async () => {
  await region("Report").getByText(markup).first().waitFor();
  expect(await accessFaults()).toEqual([]);
  expect(browser.faults).toEqual([]);
});

test("two compared runs are a page whose charts of a workload are next to each other", async () => {
  const out = join(directory, "compared.html");
  const words = ["simulate", join(directory, "death.yaml"), "--compare", "profile=fast", "--html", out];
  await promisify(execFile)(process.execPath, [join(repository, "bin/kintsugi"), ...words]);
  await using compared = await servePage(out);
  page = await browser.open(compared.url);
  await page.getByRole("heading", { name: "A: death, profile default" }).waitFor();
  const charts = page.getByRole("img", { name: /available pods over time/ });
  expect(await charts.evaluateAll((all: { ariaLabel: string }[]) => all.map((each) => each.ariaLabel))).toEqual([
    "A: web: available pods over time",
    "B: web: available pods over time",
  ]);
  expect(await accessFaults()).toEqual([]);
  expect(browser.faults).toEqual([]);
});

test("a rehearsal is a single page: the run of each question is selected, watched and explained", async () => {
  const from = join(repository, "demo/rehearsals/webhook-fails-closed");
  const words = ["rehearse", "--from", from, "--runs", "1", "--changes=false", "-o", "html"];
  const program = join(repository, "apps/simulator/bundle/main.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], { maxBuffer: 64 * 1024 * 1024 });
  const file = join(directory, "rehearsal.html");
  await writeFile(file, stdout);
  await using rehearsal = await servePage(file);
  page = await browser.open(rehearsal.url);
  await turn(/Now node node-1 fails/).waitFor();
  await page
    .getByRole("row", { name: /node-2/ })
    .getByRole("link", { name: "watch" })
    .first()
    .click();
  await turn(/detects that node-2 is silent/).click();
  await region("Nodes and pods").getByRole("button", { name: "Node node-2" }).click();
  const panel = page.getByRole("dialog", { name: "Node node-2" });
  await panel.getByRole("tab", { name: "Why" }).click();
  await panel.getByText("Node node-2 does not respond").first().waitFor();
  // A simulated cluster has no supervisor that the command could reach.
  expect(await panel.getByText("kintsugi explain").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByLabel("Watch what happens if").selectOption("node node-1 fails");
  await turn(/Now node node-1 fails/).waitFor();
  expect(await accessFaults()).toEqual([]);
  expect(browser.faults).toEqual([]);
}, 120_000);
