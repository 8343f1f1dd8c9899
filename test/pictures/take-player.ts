import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { servePage } from "../support/dashboard/serve-page.ts";
import { repository } from "../support/lab-cluster.ts";
import type { Camera } from "./camera.ts";

const run = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;
const program = join(repository, "bin/kintsugi");

/** Moves the playhead to a turning point. */
function turnTo(name: RegExp) {
  return async (page: Page) => {
    await page.getByRole("region", { name: "Turning points" }).getByRole("button", { name }).first().click();
    await page.evaluate("scrollTo(0, 0)");
    await page.waitForTimeout(800);
  };
}

const isShown = (page: Page) => page.getByRole("region", { name: "Turning points" }).waitFor();

/** Pages of one file: a recording, a comparison, and a rehearsal. */
export async function takePlayer(camera: Camera): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-pictured-"));
  try {
    const files = ["recording", "comparison", "rehearsal"].map((name) => join(directory, `${name}.html`));
    const [recording = "", comparison = "", rehearsal = ""] = files;
    await run(process.execPath, [program, "simulate", "node-dead", "--html", recording]);
    await run(process.execPath, [program, "simulate", "node-dead", "--compare", "profile=fast", "--html", comparison]);
    const from = join(repository, "demo/rehearsals/webhook-fails-closed");
    const words = ["rehearse", "--from", from, "--runs", "1", "--changes=false", "-o", "html"];
    const { stdout } = await run(process.execPath, [join(repository, "apps/simulator/bundle/main.mjs"), ...words], {
      maxBuffer,
    });
    await writeFile(rehearsal, stdout);
    await takeRecording(camera, recording);
    await using compared = await servePage(comparison);
    await camera.take("comparison", compared.url);
    await using rehearsed = await servePage(rehearsal);
    await camera.take("rehearsal", rehearsed.url, isShown);
    await camera.take("rehearsal-silent", rehearsed.url, turnTo(/is silent/));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function takeRecording(camera: Camera, file: string): Promise<void> {
  await using served = await servePage(file);
  await camera.take("player-start", served.url, isShown);
  await camera.take("player-silent", served.url, turnTo(/counts as silent/));
  await camera.take("player-end", served.url, async (page) => {
    await isShown(page);
    const time = page.getByLabel("Time", { exact: true });
    await time.fill((await time.getAttribute("max")) ?? "");
    await page.waitForTimeout(800);
  });
  await camera.take("player-recent", served.url, async (page) => {
    await turnTo(/all of its 6 pods again/)(page);
    const filters = page.getByRole("button", { name: "Filters" });
    if (await filters.isVisible()) await filters.click();
    await page.getByLabel("Past").selectOption({ label: "5 minutes" });
    await page.waitForTimeout(800);
  });
  await camera.take("player-panel", served.url, async (page) => {
    await turnTo(/counts as silent/)(page);
    await page.getByRole("region", { name: "Nodes and pods" }).getByRole("button", { name: "Node node-2" }).click();
    await page.getByRole("dialog").getByRole("tab", { name: "Why" }).click();
    await page.waitForTimeout(1_000);
  });
}
