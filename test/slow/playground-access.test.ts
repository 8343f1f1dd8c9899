import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { servePlayground } from "../support/dashboard/serve-playground.ts";

// Each way to play is free of axe-core's violations, in both schemes and both widths.

/** A folder that receives a picture of each state. */
const pictures = process.env["KINTSUGI_PICTURES"];

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

async function untilSimulated(page: Page): Promise<void> {
  await page
    .locator(".playground > [role=status]")
    .getByText(/The digest of/)
    .waitFor({ timeout: 120_000 });
}

interface State {
  readonly name: string;
  readonly hash: string;
  /** Opens a further part of the page. */
  readonly open?: (page: Page) => Promise<void>;
}

const states: readonly State[] = [
  { name: "campaign", hash: "#lesson=node-dead" },
  { name: "sandbox", hash: "#scenario=node-dead&set=profile%3Dfast" },
  { name: "race", hash: "#scenario=node-dead&set=profile%3Dfast&rival=profile%3Ddefault" },
  { name: "survive", hash: "#survive=7" },
  {
    name: "share",
    hash: "#scenario=node-dead&set=profile%3Dfast",
    open: (page) => page.getByRole("button", { name: "Share", exact: true }).click(),
  },
];

test.each(states)("axe-core finds nothing in $name", async ({ name, hash, open }) => {
  const page = await browser.open(`${served.url}${hash}`);
  if (hash.startsWith("#scenario")) await untilSimulated(page);
  else await page.getByRole("navigation", { name: "Ways to play" }).waitFor({ timeout: 120_000 });
  await open?.(page);
  for (const colorScheme of ["light", "dark"] as const)
    for (const [width, height] of [
      [1280, 800],
      [375, 812],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        "axe.run({ resultTypes: ['violations'] })",
      );
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `play-${name}-${colorScheme}-${width}.png`) });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
});
