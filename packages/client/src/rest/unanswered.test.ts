import { silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { RestClient } from "./rest-client.ts";
import { type Transport, type TransportRequest, type TransportResponse } from "./transport.ts";

/**
 * A client whose connections are silent while its link is cut, and remain silent afterwards. New
 * connections are answered then.
 */
function startClient() {
  const clock = new VirtualClock();
  const sent: string[] = [];
  let isCut = false;
  let isConnecting = false;
  let cutToo = "";
  const transport: Transport = {
    host: "link",
    send(request: TransportRequest) {
      const path = request.path.split("?")[0] ?? "";
      sent.push(`${clock.monotonicMs()} ${request.method} ${path}`);
      if (!isConnecting) request.onSent();
      if (isCut || path === cutToo) {
        return new Promise<TransportResponse>((_resolve, reject) => {
          request.cancellation.onCancel(() => reject(request.cancellation.reason as Error));
        });
      }
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{"items":[]}') });
    },
    close: () => Promise.resolve(),
  };
  const client = new RestClient(
    { transport, clock, random: new SeededRandom(1), metrics: silentMetrics },
    { userAgent: "test" },
  );
  const outcomes: string[] = [];
  const call = (method: "GET" | "POST", path: string, timeoutMs?: number) => {
    void client.call({ method, path, ...(timeoutMs && { timeoutMs }) }).then(
      () => outcomes.push(`${clock.monotonicMs()} ${path}`),
      (error: unknown) => outcomes.push(`${clock.monotonicMs()} ${path}: ${(error as Error).name}`),
    );
  };
  return {
    clock,
    sent,
    outcomes,
    call,
    cut: (how: { connecting: boolean } = { connecting: false }) => {
      isCut = true;
      isConnecting = how.connecting;
    },
    mend: ({ but = "" } = {}) => {
      isCut = false;
      isConnecting = false;
      cutToo = but;
    },
  };
}

test("a read without a response is sent again as soon as another call is answered", async () => {
  const { clock, outcomes, call, cut, mend } = startClient();
  cut();
  call("GET", "/slow");
  call("GET", "/lease", 2000);
  await clock.advance(10_000);
  mend();
  call("GET", "/lease");
  await clock.advance(1000);
  expect(outcomes).toEqual(["2000 /lease: ConnectionError", "10000 /lease", "10051 /slow"]);
});

test("a write is sent again only if the server cannot have received it", async () => {
  const { clock, sent, outcomes, call, cut, mend } = startClient();
  cut();
  call("POST", "/seen");
  cut({ connecting: true });
  call("POST", "/unseen");
  call("GET", "/lease", 2000);
  await clock.advance(10_000);
  mend();
  call("GET", "/lease");
  await clock.advance(40_000);
  expect(sent.filter((line) => line.endsWith("seen"))).toEqual([
    "0 POST /seen",
    "0 POST /unseen",
    expect.stringMatching(/^100\d\d POST \/unseen$/),
  ]);
  expect(outcomes).toContain("30000 /seen: ConnectionError");
});

test("a read is aborted as stuck once, and not each time that the server fails and answers again", async () => {
  const { clock, sent, call, cut, mend } = startClient();
  for (let i = 0; i < 5; i++) {
    cut();
    if (i === 0) call("GET", "/slow");
    call("GET", "/lease", 1000);
    await clock.advance(2000);
    mend({ but: "/slow" });
    call("GET", "/lease");
    await clock.advance(1000);
  }
  expect(sent.filter((line) => line.endsWith("/slow"))).toHaveLength(2);
});

test("a read continues if no call has failed since its start", async () => {
  const { clock, sent, call, cut, mend } = startClient();
  cut();
  call("GET", "/lease", 1000);
  await clock.advance(2000);
  call("GET", "/slow");
  await clock.advance(1000);
  mend();
  call("GET", "/lease");
  await clock.advance(20_000);
  expect(sent.filter((line) => line.endsWith("/slow"))).toHaveLength(1);
});
