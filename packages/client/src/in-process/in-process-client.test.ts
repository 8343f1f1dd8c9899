import { configMaps } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { describeClientContract } from "../testing/client-contract.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { createInProcessClient } from "./in-process-client.ts";

const identity = { name: "tester", groups: ["system:masters"] };

describeClientContract("the in-process client over MemoryApi", () => {
  const deps = { clock: new VirtualClock(), random: new SeededRandom(1) };
  const api = new MemoryApi(deps, [configMaps]);
  const client = createInProcessClient({ ...deps, handler: api }, { identity });
  return Promise.resolve({
    client,
    compact: () => Promise.resolve(api.log.compact()),
    dispose: () => client.close(),
  });
});

test("a handler that never answers does not block its caller beyond the time limit", async () => {
  const clock = new VirtualClock();
  const handler = { handle: () => new Promise<never>(() => {}) };
  const client = createInProcessClient({ handler, clock, random: new SeededRandom(1) }, { identity });
  const failed = client.call({ method: "POST", path: "/api/v1/pods", body: {} }).catch((error: unknown) => error);
  await clock.advance(31_000);
  expect(await failed).toMatchObject({
    name: "ConnectionError",
    message: "POST in-process/api/v1/pods: no answer within 30 s",
    outcomeUnknown: true,
  });
});
