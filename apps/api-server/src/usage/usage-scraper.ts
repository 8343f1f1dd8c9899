import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { KubeletDialer, KubeletTarget } from "../kubelet/kubelet-dialer.ts";
import {
  lacksPrevious,
  type NodeSamples,
  parseResourceMetrics,
  type SampleLimits,
  withSample,
} from "./resource-samples.ts";

export interface UsageScraperDeps {
  clock: Clock;
  log: Logger;
  dialer: KubeletDialer;
}

/**
 * The age up to which a sample is returned, as metrics-server's --metric-resolution in its usual
 * manifest.
 */
const resolutionMs = 15_000;
/**
 * The time between the first two samples of a node or container: long enough for containerd's
 * counters to have moved.
 */
const firstWindowMs = 1000;
/** The value of metrics-server's --kubelet-request-timeout. */
const scrapeTimeoutMs = 10_000;
/**
 * The number of kubelets that are scraped concurrently, because each answer is parsed in this
 * process.
 */
const scrapesInFlightMax = 20;
/**
 * 110 pods with a few containers each are several hundred KiB; an honest kubelet does not send more
 * than this.
 */
const answerBytesMax = 16 * 1024 * 1024;

const limits: SampleLimits = { windowMaxMs: 60_000, windowWantedMs: 10_000, freshContainerMinMs: 10_000 };

/**
 * Scrapes kubelets only at a client's request, so an idle cluster is not scraped. Stores the last
 * two samples of each node, so that a client that repeats its request gets the time in between as
 * the window.
 */
export class UsageScraper {
  readonly #deps: UsageScraperDeps;
  readonly #samples = new Map<string, NodeSamples>();
  readonly #scrapedMs = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(deps: UsageScraperDeps) {
    this.#deps = deps;
  }

  /**
   * Returns samples by node. For a node that could not be reached in time it returns the last
   * samples, if any.
   */
  async observe(targets: readonly KubeletTarget[], signal: AbortSignal): Promise<ReadonlyMap<string, NodeSamples>> {
    const waiting = [...targets];
    const work = async () => {
      for (let target = waiting.shift(); target && !signal.aborted; target = waiting.shift()) await this.#renew(target);
    };
    await Promise.all(Array.from({ length: Math.min(scrapesInFlightMax, targets.length) }, work));
    const nowMs = this.#deps.clock.monotonicMs();
    return new Map(
      targets.flatMap(({ nodeName }) => {
        const samples = this.#samples.get(nodeName);
        const isOld = nowMs - (this.#scrapedMs.get(nodeName) ?? -Infinity) > limits.windowMaxMs;
        return samples && !isOld ? [[nodeName, samples] as const] : [];
      }),
    );
  }

  /** Nodes that no longer exist are forgotten. */
  keepOnly(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#samples.keys()) {
      if (nodeNames.has(name)) continue;
      this.#samples.delete(name);
      this.#scrapedMs.delete(name);
    }
  }

  /**
   * Concurrent requests wait for the same scrape, which continues when one of the requests ends.
   */
  #renew(target: KubeletTarget): Promise<void> {
    const { nodeName } = target;
    const known = this.#underWay.get(nodeName);
    if (known) return known;
    const work = this.#renewOnce(target).finally(() => this.#underWay.delete(nodeName));
    this.#underWay.set(nodeName, work);
    return work;
  }

  async #renewOnce(target: KubeletTarget): Promise<void> {
    const { clock, log } = this.#deps;
    const { nodeName } = target;
    try {
      const ageMs = clock.monotonicMs() - (this.#scrapedMs.get(nodeName) ?? -Infinity);
      if (ageMs >= resolutionMs) await this.#scrape(target);
      const samples = this.#samples.get(nodeName);
      if (samples && lacksPrevious(samples)) {
        await clock.sleep(firstWindowMs);
        await this.#scrape(target);
      }
    } catch (error) {
      log.warn("node's usage not read", { node: nodeName, error });
    }
  }

  async #scrape(target: KubeletTarget): Promise<void> {
    const { clock, dialer } = this.#deps;
    const ending = new AbortController();
    const timer = clock.after(scrapeTimeoutMs, () => ending.abort(new Error(`no answer within ${scrapeTimeoutMs} ms`)));
    try {
      const response = await dialer.get(target, "/metrics/resource", ending.signal);
      const text = await readText(response.body);
      if (response.status !== 200) throw new Error(`the kubelet answered with status ${response.status}`);
      const sample = parseResourceMetrics(text);
      this.#samples.set(target.nodeName, withSample(this.#samples.get(target.nodeName), sample, limits));
      this.#scrapedMs.set(target.nodeName, clock.monotonicMs());
    } finally {
      timer.cancel();
    }
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error(`the kubelet's answer is longer than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
