import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileRequests } from "../bench/hostile/all-bodies.ts";
import { InProcessServer } from "../bench/hostile/in-process-server.ts";

/** No request may take more of the processor of the event loop: others wait meanwhile. */
const workedMsMax = 250;

/**
 * The same for the first request of its form, for which this process has compiled nothing yet.
 * Without the budgets of bodies a third of them took longer, some for ever.
 */
const firstWorkedMsMax = 1_000;

/** Caches may keep something of a request, but no request may fill the memory. */
const keptBytesMax = 64 * 1024 * 1024;

/** An answer must not be larger than the 3 MiB of its request. */
const answerBytesMax = 4 * 1024 * 1024;

describe("a hostile request", () => {
  let server: InProcessServer;
  beforeAll(() => {
    server = new InProcessServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(hostileRequests)("$name: is answered, soon and briefly", async (request) => {
    const { status, workedMs, answerBytes, keptBytes } = await server.cost(request);
    expect(status).toBeLessThan(500);
    expect(workedMs).toBeLessThan(firstWorkedMsMax);
    const compiledMs = workedMs > workedMsMax ? (await server.cost(request)).workedMs : workedMs;
    expect(compiledMs).toBeLessThan(workedMsMax);
    expect(keptBytes).toBeLessThan(keptBytesMax);
    expect(answerBytes).toBeLessThan(answerBytesMax);
  });
});
