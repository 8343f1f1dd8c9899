import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { packagedProgram } from "../support/host-abilities.ts";

/** The windows in which every state is photographed. */
const looks = [
  { scheme: "light", width: 1280, height: 800 },
  { scheme: "dark", width: 1280, height: 800 },
  { scheme: "light", width: 375, height: 812 },
  { scheme: "dark", width: 375, height: 812 },
] as const;

const pageTimeoutMs = 300_000;

/** Actions on the page before its picture. */
export type PageActions = (page: Page) => Promise<void>;

export interface Camera extends AsyncDisposable {
  /** Opens the address in each window, acts there, and takes the pictures. */
  take(state: string, url: string, act?: PageActions): Promise<void>;
  /** Faults of the photographed pages: one line each. */
  readonly faults: readonly string[];
}

/** Called for each page before its address is opened. */
type Prepare = (page: Page) => Promise<void>;

/**
 * Opens Chromium once, with reduced motion. Each state becomes one sheet: light above dark, wide on
 * the left of narrow.
 */
export async function openCamera(directory: string, prepare: Prepare): Promise<Camera> {
  await mkdir(directory, { recursive: true });
  const browser = await chromium.launch({
    executablePath: packagedProgram("chromium"),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const faults: string[] = [];
  return {
    faults,
    async take(state, url, act) {
      const files = await Promise.all(
        looks.map(async ({ scheme, width, height }) => {
          const name = `${state}-${scheme}-${width}`;
          const context = await browser.newContext({
            viewport: { width, height },
            colorScheme: scheme,
            reducedMotion: "reduce",
            bypassCSP: true,
            locale: "en-GB",
          });
          try {
            const page = await openPage(context, { url, prepare, faults, name });
            try {
              await act?.(page);
            } catch (error) {
              faults.push(`${name}: ${(error as Error).message.split("\n")[0]}`);
            }
            const file = join(directory, `${name}.png`);
            await page.screenshot({ path: file });
            faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
            return file;
          } finally {
            await context.close();
          }
        }),
      );
      await drawSheet(browser.newPage.bind(browser), files, join(directory, `sheet-${state}.png`));
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
    },
  };
}

interface OpenOptions {
  readonly url: string;
  readonly prepare: Prepare;
  readonly faults: string[];
  readonly name: string;
}

async function openPage(context: BrowserContext, { url, prepare, faults, name }: OpenOptions): Promise<Page> {
  // Four pages share a machine that may be busy.
  context.setDefaultTimeout(pageTimeoutMs);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
  await prepare(page);
  await page.goto(url);
  return page;
}

/** Finds cut text, overflow, durations of zero, and axe-core's violations. */
async function faultsOf(page: Page): Promise<string[]> {
  const wide = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  const cut = await page.evaluate<string[]>(`[...document.querySelectorAll("button, h1, h2, h3, p, th, label, code")]
    .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
    .filter((each) => !["auto", "scroll"].includes(getComputedStyle(each).overflowX))
    .filter((each) => getComputedStyle(each).display !== "inline" && !each.classList.contains("unseen"))
    .map((each) => each.tagName + " " + each.textContent.trim().slice(0, 50))`);
  const zero = await page.evaluate<string[]>(String.raw`document.body.innerText.match(/.*\b0\.0 s.*/g) ?? []`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  return [
    ...(wide > 0 ? [`${wide} pixels wider than the window`] : []),
    ...[...new Set(cut)].map((text) => `cut: ${text}`),
    ...zero.map((text) => `a duration of zero: ${text}`),
    ...violations.map(({ id, nodes }) => `axe-core: ${id}: ${nodes[0]?.html.slice(0, 120)}`),
  ];
}

async function drawSheet(newPage: () => Promise<Page>, files: readonly string[], sheet: string): Promise<void> {
  const page = await newPage();
  await page.setViewportSize({ width: 1660, height: 800 });
  const [wideLight, wideDark, narrowLight, narrowDark] = await Promise.all(
    files.map(async (file) => `<img src="data:image/png;base64,${(await readFile(file)).toString("base64")}">`),
  );
  await page.setContent(
    `<body style="margin:0;background:#777;width:1660px">${[wideLight, narrowLight, wideDark, narrowDark].join("")}`,
  );
  await page.screenshot({ path: sheet, fullPage: true });
  await page.close();
}
