import { expect, test } from "vitest";
import { serveLargeCluster } from "../bench/page/large-cluster.ts";
import { startBrowser } from "../support/dashboard/browser.ts";

/** Five changes in two seconds, for an hour. */
const changesOfAnHour = 9_000;
const changesPerSecond = 2_000;
/** The heap of a page that leaks a thousandth of its objects grows by more than this. */
const growthMaxBytes = 2_000_000;

test("the memory of a tab that is open for an hour of changes does not grow", { timeout: 400_000 }, async () => {
  await using cluster = await serveLargeCluster({ nodes: 10, podsPerNode: 6, changesPerSecond, replaces: true });
  await using browser = await startBrowser();
  const page = await browser.open(cluster.url);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const heapBytes = async () => {
    // The second collection frees the memory that finalizers of the first have released.
    for (let i = 0; i < 2; i++) await devtools.send("HeapProfiler.collectGarbage");
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN;
  };
  await page
    .getByRole("row", { name: /Pod default/ })
    .first()
    .waitFor();
  const samples: number[] = [];
  const watched = async (changes: number) => {
    const until = cluster.changes() + changes;
    while (cluster.changes() < until) await page.waitForTimeout(500);
    // The page may lag: it has processed all changes when it shows the mark.
    const mark = `mark-${samples.length}`;
    cluster.mark(mark);
    await page.getByRole("button", { name: `Pod default/${mark}` }).waitFor({ timeout: 120_000 });
    samples.push(await heapBytes());
  };
  // Bars of pods that no longer exist remain until there are 22,000 of them; the first hours reach
  // this number.
  await watched(50_000);
  await watched(changesOfAnHour);
  await watched(changesOfAnHour);
  console.log(`heap: ${samples.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`).join(", ")}`);
  const [full = 0, , later = Number.NaN] = samples;
  expect(later - full).toBeLessThan(growthMaxBytes);
  expect(browser.faults).toEqual([]);
});
