import { pods } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { createInProcessClient } from "../in-process/in-process-client.ts";
import type { RequestHandler } from "../in-process/request-handler.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Answer = "connection refused" | 200 | 404 | 503 | 507;

/**
 * A client whose server's answers are set by the test, with a count of the notifications that the
 * server is back.
 */
function startClient() {
  const clock = new VirtualClock();
  let answer: Answer = 200;
  const handler = {
    handle: () => {
      if (typeof answer === "string") return Promise.reject(new Error(answer));
      return Promise.resolve({ status: answer, headers: {}, body: Buffer.from("{}") });
    },
  };
  const client = createInProcessClient(
    { handler, clock, random: new SeededRandom(1) },
    { identity: { name: "tester", groups: [] } },
  );
  let returns = 0;
  const stop = client.onReturn(() => returns++);
  const ask = async (next: Answer, durationMs = 5_000, method: Method = "POST", path = "/api/v1/pods") => {
    answer = next;
    const asked = client.call({ method, path, body: {} }).catch(() => {});
    await clock.advance(durationMs);
    await asked;
    return returns;
  };
  return { ask, stop };
}

test("reports the first response after a call without a response, and no later response", async () => {
  const { ask } = startClient();
  expect(await ask(200)).toBe(0);
  expect(await ask("connection refused")).toBe(0);
  expect(await ask("connection refused")).toBe(0);
  expect(await ask(200)).toBe(1);
  expect(await ask(200)).toBe(1);
});

test("treats a refusal as a response, but not a refusal by a server that is not ready", async () => {
  const { ask } = startClient();
  await ask("connection refused");
  expect(await ask(503)).toBe(0);
  expect(await ask(404)).toBe(1);
});

test("reports the first write after a write that failed for lack of space, whatever is read or deleted in the meantime", async () => {
  const { ask } = startClient();
  expect(await ask(507)).toBe(0);
  for (const method of ["GET", "DELETE"] as const) expect(await ask(200, 5_000, method)).toBe(0);
  // A full server accepts renewals of Leases too.
  const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1";
  expect(await ask(200, 5_000, "PUT", lease)).toBe(0);
  expect(await ask(404)).toBe(0);
  expect(await ask(507)).toBe(0);
  expect(await ask(200)).toBe(1);
  expect(await ask(200)).toBe(1);
});

test("reports at most once a second if a call fails repeatedly and others do not", async () => {
  const { ask } = startClient();
  for (let i = 0; i < 10; i++) {
    await ask("connection refused", 50);
    await ask(200, 50);
  }
  expect(await ask(200, 0)).toBe(1);
  await ask("connection refused", 50);
  expect(await ask(200, 50)).toBe(2);
});

test("notifies no listener that has stopped waiting", async () => {
  const { ask, stop } = startClient();
  await ask("connection refused");
  stop();
  expect(await ask(200)).toBe(0);
});

test("concludes nothing about the server from a watch that falls silent", async () => {
  const clock = new VirtualClock();
  const silence = async function* (): AsyncGenerator<Uint8Array, void> {
    await new Promise(() => {});
    yield Buffer.of();
  };
  const handler: RequestHandler = {
    handle: ({ path }) =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: path.includes("watch=true") ? silence() : Buffer.from("{}"),
      }),
  };
  const client = createInProcessClient(
    { handler, clock, random: new SeededRandom(1) },
    { identity: { name: "tester", groups: [] } },
  );
  let returns = 0;
  client.onReturn(() => returns++);
  const { signal } = new AbortController();
  const watched = client.watch(pods, { resourceVersion: "1", timeoutSeconds: 300, bookmarks: true, signal });
  const ended = watched[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
  await clock.advance(91_000);
  expect(await ended).toMatchObject({
    name: "ConnectionError",
    message: expect.stringMatching("no answer within 90 s"),
  });
  await client.call({ method: "GET", path: "/version" });
  expect(returns).toBe(0);
});
