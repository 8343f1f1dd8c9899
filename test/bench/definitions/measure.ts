import { silentLogger, silentMetrics } from "@kintsugi/api";
import { createApiServer } from "@kintsugi/api-server/factory";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { MemoryStore } from "@kintsugi/store/simulated";
import type { Figure } from "../figure.ts";

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const signal = new AbortController().signal;

/**
 * Measures the API server's cost of custom resource definitions: their creation, a start with them,
 * memory, discovery and OpenAPI. Everything runs in one process, without a network and with the
 * store in memory.
 */
export async function measureDefinitions(count: number): Promise<Figure[]> {
  const store = new MemoryStore({ clock: systemClock });
  const before = await start(store);
  const bytesBefore = heapBytes();
  const createMs = await timed(async () => {
    for (let index = 0; index < count; index++) await before.send("POST", path, definition(index));
    await untilServed(before, count);
  });
  const bytesAfter = heapBytes();
  await before.stop();
  let after: Running | undefined;
  const startMs = await timed(async () => {
    after = await start(store);
    await untilServed(after, count);
  });
  const running = after as unknown as Running;
  const discoveryMs = await timed(() => running.send("GET", "/apis", undefined, aggregated));
  const indexMs = await timed(() => running.send("GET", "/openapi/v3"));
  await running.send("POST", path, definition(count));
  await untilServed(running, count + 1);
  const againMs = await timed(() => running.send("GET", "/openapi/v3"));
  const wholeMs = await timed(() => running.send("GET", "/openapi/v2"));
  await running.stop();
  const detail = `${count} definitions, each in a group of its own, with a schema of 30 fields`;
  return [
    {
      id: "definitions.create",
      what: "creating a definition, until it is served",
      value: createMs / count,
      unit: "ms",
      detail,
    },
    {
      id: "definitions.memory",
      what: "memory of all definitions",
      value: (bytesAfter - bytesBefore) / 2 ** 20,
      unit: "MB",
    },
    { id: "definitions.start", what: "start of the server with all of them", value: startMs, unit: "ms" },
    { id: "definitions.discovery", what: "aggregated discovery after the start", value: discoveryMs, unit: "ms" },
    {
      id: "definitions.openapi",
      what: "index of OpenAPI 3 after the start, all documents",
      value: indexMs,
      unit: "ms",
    },
    {
      id: "definitions.openapi.again",
      what: "index of OpenAPI 3 after one more definition",
      value: againMs,
      unit: "ms",
    },
    { id: "definitions.openapi.v2", what: "the document of OpenAPI 2", value: wholeMs, unit: "ms" },
  ];
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

type Running = Awaited<ReturnType<typeof start>>;

async function start(store: MemoryStore) {
  const deps = { store, clock: systemClock, random: systemRandom, log: silentLogger, metrics: silentMetrics };
  const server = createApiServer(deps, {});
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await server.ready;
  return {
    send: async (method: string, of: string, body?: object, accept?: string) => {
      const answer = await server.handle({
        method,
        path: of,
        headers: {
          "user-agent": "bench",
          ...(accept === undefined ? {} : { accept }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
        identity: { name: "admin", groups: ["system:masters"] },
        signal,
      });
      if (!(answer.body instanceof Uint8Array)) for await (const _chunk of answer.body) continue;
      if (answer.status > 299) throw new Error(`${method} ${of}: ${answer.status}`);
      return answer;
    },
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

/** Waits until the last definition is served. */
async function untilServed(server: Running, count: number): Promise<void> {
  const last = `/apis/g${count - 1}.example.com/v1`;
  for (;;) {
    try {
      await server.send("GET", last);
      return;
    } catch {
      await systemClock.sleep(1);
    }
  }
}

function definition(index: number) {
  const fields = Array.from({ length: 30 }, (_, at) => [`field${at}`, { type: "string", description: "A field." }]);
  const spec = { type: "object", properties: Object.fromEntries(fields) as object };
  const group = `g${index}.example.com`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startMs;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
