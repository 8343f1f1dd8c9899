import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { packagedProgram } from "../host-abilities.ts";

/** Debian's Chromium, with a temporary profile. */
export interface Browser extends AsyncDisposable {
  /** Opens a page that replaces the previous page. */
  open(url: string, options?: OpenOptions): Promise<Page>;
  /** Errors of pages and requests to other servers since the browser started. */
  readonly faults: readonly string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: NonNullable<BrowserContextOptions["colorScheme"]>;
}

const switches = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function startBrowser(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "kintsugi-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: packagedProgram("chromium"),
    args: switches,
    locale: "en-GB",
  });
  const faults: string[] = [];
  return {
    faults,
    async open(url, { width = 1280, height = 900, colorScheme = "light" } = {}) {
      // Pages of one server share six connections, so a page that a failed test left open would
      // block the next.
      await Promise.all(context.pages().map((each) => each.close()));
      const page = await context.newPage();
      const { origin } = new URL(url);
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      page.on("dialog", (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("console", (message) => {
        // A refused request is an answer that the page shows.
        const isAnswer = message.text().startsWith("Failed to load resource");
        if (message.type() === "error" && !isAnswer) faults.push(`console: ${message.text()}`);
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(origin)) faults.push(`request to ${request.url()}`);
      });
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await page.goto(url);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
