import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileRequests } from "../bench/hostile/all-bodies.ts";
import { InProcessServer } from "../bench/hostile/in-process-server.ts";

/**
 * Twenty times the limit of such a request on a server that has run for a while: this process has
 * compiled nothing yet, and its processor may be slow. Without the budgets of bodies a third of
 * them took longer, some for ever.
 */
const workedMsMax = 1_000;

/** An answer must not be larger than the 3 MiB of its request. */
const answerBytesMax = 4 * 1024 * 1024;

describe("a hostile request", () => {
  let server: InProcessServer;
  beforeAll(() => {
    server = new InProcessServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(hostileRequests)("$name: is answered, soon and briefly", async (request) => {
    const { status, workedMs, answerBytes } = await server.cost(request);
    expect(status).toBeLessThan(500);
    expect(workedMs).toBeLessThan(workedMsMax);
    expect(answerBytes).toBeLessThan(answerBytesMax);
  });
});
