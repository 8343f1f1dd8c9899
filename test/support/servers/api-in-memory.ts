import { silentLogger, silentMetrics } from "@kintsugi/api";
import { createApiServer, type ServerOptions } from "@kintsugi/api-server/factory";
import { createInProcessClient, type RequestHandler } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";

/** Starts an API server over a store in memory, in virtual time. `stop` ends it. */
export async function startApiInMemory(options: Partial<ServerOptions> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(7);
  const [log, metrics] = [silentLogger, silentMetrics];
  const store = new MemoryStore({ clock });
  const server = createApiServer({ store, clock, random, log, metrics }, options);
  const stop = new AbortController();
  const serving = server.run(stop.signal);
  await server.ready;
  const clientOf = (name: string, groups: string[] = [], handler: RequestHandler = server) =>
    createInProcessClient(
      { handler, clock, random },
      { identity: { name, groups: ["system:authenticated", ...groups] } },
    );
  return { clock, random, log, metrics, store, server, stop, serving, clientOf };
}
