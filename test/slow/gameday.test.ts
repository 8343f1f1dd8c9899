import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { GameDay, gameDayHtml, incidents, serveGameDay, startTeamCluster } from "@kintsugi/test-server/factory";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { runProgram } from "../support/run-program.ts";

// A round of a game day in Chromium, by the keyboard, with kubectl as the team's only other way in.

/** A folder that receives a picture of each state. */
const pictures = process.env["KINTSUGI_PICTURES"];

let browser: Browser;
let directory: string;
let game: GameDay;
let pages: Awaited<ReturnType<typeof serveGameDay>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "kintsugi-gameday-"));
  const deps = {
    clock: systemClock,
    draw: () => 0,
    onRoundOver: () => {},
    startCluster: (of: Parameters<typeof startTeamCluster>[0]) =>
      startTeamCluster(of, { directory, log: silentLogger }),
  };
  const incident = incidents.find(({ name }) => name === "lost-visitors");
  if (incident === undefined) throw new Error("there is no such incident");
  const plan = { title: "Friday", teams: ["Blue"], incidents: [incident], seed: 1, quietMs: 0, mendMs: 600_000 };
  game = new GameDay(deps, plan);
  pages = await serveGameDay({ random: systemRandom }, game, { port: 0, startedAt: "2026-01-01T00:00:00Z" });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
  await game?.close();
  await rm(directory, { recursive: true, force: true });
});

const shown = { timeout: 60_000 };
const team = () => pages.teams[0]?.url ?? "";

/** Checks the state in both schemes and widths. */
async function isClean(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const)
    for (const [width, height] of [
      [1280, 800],
      [375, 812],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      const isWide = await page.evaluate<boolean>(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth",
      );
      expect(isWide).toBe(false);
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `gameday-${name}-${colorScheme}-${width}.png`) });
    }
}

/** Moves the focus by the Tab key until it is on a control. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>("document.activeElement?.innerText ?? ''");
    if (focused === name) return;
  }
  throw new Error(`the Tab key does not reach ${name}`);
}

test("a team detects and mends a hidden fault, and the report has both times", async () => {
  let page = await browser.open(pages.facilitator);
  await page.getByText("service-selector").waitFor(shown);
  await isClean(page, "facilitator-before");
  await tabTo(page, "Begin the round");
  await page.keyboard.press("Enter");
  await page.getByText("routes to 0 of 6 pods").waitFor(shown);
  await isClean(page, "facilitator-broken");

  page = await browser.open(team());
  await page.getByText("report what you notice").waitFor(shown);
  expect(await page.content()).not.toContain("lost-visitors");
  await isClean(page, "team-watching");
  await page.getByLabel("We noticed:").focus();
  await page.keyboard.type("no visitor <b>arrives</b>");
  await page.keyboard.press("Enter");
  await page.getByText("Your report is recorded.").waitFor(shown);
  await page.getByText("no visitor <b>arrives</b>").waitFor(shown);
  await isClean(page, "team-mending");
  await tabTo(page, "It is mended");
  await page.keyboard.press("Enter");
  await page.getByText("The harm continues: the Service of the web routes to 0 of 6 pods.").waitFor(shown);

  const kubeconfig = join(directory, "blue");
  const kubectl = (...words: string[]) => runProgram("kubectl", ["--kubeconfig", kubeconfig, ...words]);
  // The faults in force would name the cause.
  expect((await kubectl("get", "--raw", "/apis/kintsugi.dev/v1alpha1/faults")).code).not.toBe(0);
  const patch = `{"spec":{"selector":{"tier":null}}}`;
  expect((await kubectl("-n", "shop", "patch", "service", "web", "--type=merge", "-p", patch)).code).toBe(0);
  await page.getByLabel("The cause, as you see it:").selectOption("service-selector");
  await page.getByRole("button", { name: "It is mended" }).click();
  await page.getByText("The incident was lost-visitors").waitFor(shown);
  await isClean(page, "team-over");

  page = await browser.open(pages.facilitator);
  await page.getByText("This was the last round.").waitFor(shown);
  await isClean(page, "facilitator-over");
  await page.getByRole("link", { name: "The report as a page" }).click();
  await page.getByText("service-selector, right").waitFor(shown);
  await isClean(page, "report");
  const [state] = game.round?.teams ?? [];
  expect(state?.mendedAtMs).toBeGreaterThan(state?.noticed?.atMs ?? Infinity);
  expect(gameDayHtml(game, "today")).toContain("1 of 1 incidents were reported");
  expect(browser.faults).toEqual([]);
}, 240_000);

test("a team's cookie does not open the facilitator's page", async () => {
  const page = await browser.open(team());
  const facilitator = new URL(pages.facilitator);
  const cookies = await page.context().cookies(team());
  const own = cookies.find(({ name }) => name.endsWith(new URL(team()).port))?.value ?? "";
  expect(own).not.toBe("");
  const read = (path: string, cookie: string) => fetch(new URL(path, facilitator.origin), { headers: { cookie } });
  expect((await read("/live", `kintsugi-gameday-${facilitator.port}=${own}`)).status).toBe(401);
  expect((await read(`/?token=${own}`, "")).status).toBe(401);
});
