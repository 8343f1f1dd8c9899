import { app, deployApp, resolverOf } from "./app.ts";
import { bringUp, openBenchCluster, processUsage } from "./bench-cluster.ts";
import { describeSamples } from "./distribution.ts";
import type { Figure } from "./figure.ts";

export interface NamesOptions {
  /** Questions that are sent one after the other. */
  singles: number;
  /** The time for which `clients` query without a pause. */
  durationMs: number;
  clients: number;
}

/** Measures a node's name server, queried by UDP from this host with c-ares. */
export async function measureNames({ singles, durationMs, clients }: NamesOptions): Promise<Figure[]> {
  const name = `bench-names-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", "default"]);
  await using cluster = await openBenchCluster(name);
  const following = new AbortController();
  const { spec } = await deployApp(cluster.client, following.signal);
  following.abort();
  const resolver = await resolverOf(cluster.client, spec?.nodeName ?? "");
  const ask = () => resolver.resolve4(`${app}.default.svc.cluster.local`);
  while ((await ask().catch((): string[] => [])).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));

  const tookMs: number[] = [];
  for (let asked = 0; asked < singles; asked++) {
    const sinceMs = performance.now();
    await ask();
    tookMs.push(performance.now() - sinceMs);
  }
  const { p50, p99 } = describeSamples(tookMs);

  const pid = (await cluster.status()).components.find(({ id }) => id.startsWith("proxy@"))?.pid ?? 0;
  const [before, sinceMs] = [await processUsage(pid), performance.now()];
  let answered = 0;
  let failed = 0;
  const askOn = async () => {
    while (performance.now() - sinceMs < durationMs)
      await ask().then(
        () => answered++,
        () => failed++,
      );
  };
  await Promise.all(Array.from({ length: clients }, askOn));
  const seconds = (performance.now() - sinceMs) / 1000;
  const after = await processUsage(pid);
  const eachMicros = ((after.cpuSeconds - before.cpuSeconds) / answered) * 1_000_000;
  return [
    { id: "names.p50", what: "a name is answered, p50", value: p50, unit: "ms", detail: `${singles} in turn` },
    { id: "names.p99", what: "a name is answered, p99", value: p99, unit: "ms", detail: `${singles} in turn` },
    {
      id: "names.rate",
      what: `names answered, ${clients} at a time`,
      value: answered / seconds,
      unit: "/s",
      detail: `${failed} not answered; ${Math.round(eachMicros)} µs of a processor each; the proxy then has ${Math.round(after.rssMb)} MB`,
    },
  ];
}
