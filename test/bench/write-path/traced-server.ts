import { PerformanceObserver } from "node:perf_hooks";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { ConnectionGuard, connectionLimits, createApiServer, listenTls } from "@kintsugi/api-server/factory";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { LevelStore } from "@kintsugi/store";
import type { Engine } from "../../../packages/store/src/disk/disk.ts";
import { SystemDisk } from "../../../packages/store/src/level/system-disk.ts";
import {
  type TracedMoment,
  sharedMs,
  type CollectionPause,
  type TracedServerOptions,
  type TraceReport,
  traceHeader,
} from "./trace.ts";

// An API server with its store on disk and TLS, which notes when each write passes each part.
// Its parent process starts it, and reads the notes over the channel between the two.

const traces = new Map<string, Partial<Record<TracedMoment, number>>>();
const pauses: CollectionPause[] = [];
const offset = sharedMs() - performance.now();
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    pauses.push({ fromMs: startTime + offset, toMs: startTime + duration + offset });
}).observe({ entryTypes: ["gc"] });

/** Time for which the main thread was ready to run and had no processor. */
function queuedMs(): number {
  const [, waited = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ");
  return Number(waited) / 1e6;
}

function note(id: string | undefined, moment: TracedMoment): void {
  const trace = id === undefined ? undefined : traces.get(id);
  if (trace !== undefined) trace[moment] ??= sharedMs();
}

/** "core/configmaps/default/trace-7" → "trace-7". */
function idOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** The writes of the batch that is being formed, and of the batch that is being written. */
let decided: string[] = [];
let writing: string[] = [];

class TracedDisk extends SystemDisk {
  override async openEngine(options: { create: boolean }): Promise<Engine> {
    return tracedEngine(await super.openEngine(options));
  }
}

function tracedEngine(engine: Engine): Engine {
  return {
    write: async (operations, how) => {
      writing = decided;
      decided = [];
      for (const id of writing) note(id, "logBegun");
      await engine.write(operations, how);
      for (const id of writing) note(id, "logged");
    },
    readPage: (range, limit) => engine.readPage(range, limit),
    compactRange: (range) => engine.compactRange(range),
    close: () => engine.close(),
  };
}

async function openStore(directory: string): Promise<LevelStore> {
  const store = await LevelStore.openOn(new TracedDisk(directory), { clock: systemClock, random: systemRandom });
  const update = store.update.bind(store);
  store.update = (key, change, options) => {
    const id = idOf(key);
    note(id, "queued");
    return update(
      key,
      (current, reader) => {
        note(id, "decided");
        const outcome = change(current, reader);
        if (!decided.includes(id)) decided.push(id);
        return outcome;
      },
      options,
    );
  };
  return store;
}

async function run({ directory, tls }: TracedServerOptions): Promise<void> {
  const store = await openStore(join(directory, "store"));
  store.subscribe((changes) => {
    for (const { entry } of changes) note(idOf(entry.key), "committed");
  });
  const server = createApiServer(
    { store, clock: systemClock, random: systemRandom, log: silentLogger, metrics: silentMetrics },
    {},
  );
  store.subscribe((changes) => {
    for (const { entry } of changes) note(idOf(entry.key), "framed");
  });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await server.ready;
  const guard = new ConnectionGuard(
    { clock: systemClock, metrics: silentMetrics },
    connectionLimits({ connectionsMax: 1000 }),
  );
  const listener = await listenTls(
    {
      handle: async (request) => {
        const id = request.headers[traceHeader];
        if (id === undefined) return server.handle(request);
        const trace: Partial<Record<TracedMoment, number>> = { handled: sharedMs() };
        traces.set(id, trace);
        const queuedBefore = queuedMs();
        const response = await server.handle(request);
        trace.answered = sharedMs();
        trace.waited = queuedMs() - queuedBefore;
        return response;
      },
      clock: systemClock,
      log: silentLogger,
      guard,
    },
    { bindAddress: "127.0.0.1", port: 0, tls },
  );
  process.on("message", () => {
    const report: TraceReport = { traces: Object.fromEntries(traces), pauses };
    process.send?.(report);
    traces.clear();
    pauses.length = 0;
  });
  process.on("disconnect", () => {
    stop.abort();
    void running.finally(async () => {
      await listener[Symbol.asyncDispose]();
      await store.close();
    });
  });
  process.send?.({ port: listener.port });
}

process.once("message", (options: TracedServerOptions) => void run(options));
