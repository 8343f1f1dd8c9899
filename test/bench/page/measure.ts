import { startBrowser } from "../../support/dashboard/browser.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { serveLargeCluster } from "./large-cluster.ts";

interface PageLoad {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly changesPerSecond: number;
  /** The period in which frames are counted. */
  readonly watchMs: number;
}

/** The times between frames, taken by the page itself. */
const framesFor = (ms: number) => `new Promise((resolve) => {
  const times = [];
  const frame = (time) => {
    times.push(time);
    if (time - times[0] < ${ms}) requestAnimationFrame(frame);
    else resolve(times.slice(1).map((each, index) => each - times[index]));
  };
  requestAnimationFrame(frame);
})`;

/**
 * Opens the page of a large cluster in Chromium, and measures its first paint, the time until all
 * pods are in the picture, its frames, and its memory. The browser has no graphics processor here.
 */
export async function measurePage(load: PageLoad): Promise<Figure[]> {
  const { nodes, podsPerNode, changesPerSecond, watchMs } = load;
  await using cluster = await serveLargeCluster(load);
  await using browser = await startBrowser();
  const page = await browser.open(cluster.url);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const metric = async (name: string) => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  };
  const pods = nodes * podsPerNode;
  await page.getByRole("region", { name: "Downtime" }).getByRole("row").nth(1).waitFor({ timeout: 120_000 });
  const listedMs = await page.evaluate<number>("performance.now()");
  const paintMs = await page.evaluate<number>(
    "performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint').startTime",
  );
  // The lists are processed once before frames are counted.
  await page.waitForTimeout(5_000);
  const [busyBefore, atBefore] = [await metric("TaskDuration"), await metric("Timestamp")];
  const frames = describeSamples(await page.evaluate<number[]>(framesFor(watchMs)));
  const busy = ((await metric("TaskDuration")) - busyBefore) / ((await metric("Timestamp")) - atBefore);
  await devtools.send("HeapProfiler.collectGarbage");
  const heapMb = (await metric("JSHeapUsedSize")) / 1e6;
  if (browser.faults.length > 0) throw new Error(`the page has failed: ${browser.faults.join("; ")}`);
  const of = `${nodes} nodes, ${pods} pods, ${changesPerSecond} changes a second`;
  const rest = `p99 ${frames.p99.toFixed(1)} ms, worst ${frames.max.toFixed(0)} ms of ${frames.count}`;
  return [
    { id: "page.paint", what: "page: first paint", value: paintMs, unit: "ms", goal: 1000, detail: of },
    { id: "page.listed", what: "page: opened → its workloads are listed", value: listedMs, unit: "ms", detail: of },
    { id: "page.frame", what: "page: time between frames, p50", value: frames.p50, unit: "ms", goal: 17, detail: rest },
    { id: "page.busy", what: "page: share of its thread's time", value: busy * 100, unit: "%" },
    { id: "page.heap", what: "page: JavaScript heap after collection", value: heapMb, unit: "MB" },
  ];
}
