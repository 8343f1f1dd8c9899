import { type Node, nodes, type Taint } from "@kintsugi/api";
import { storedTypes } from "@kintsugi/api/testing";
import { createInProcessClient, type HandlerRequest } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { createOutOfService, planVouching, planWithdrawal } from "./out-of-service.ts";

const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };
const vouched: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const byHand: Taint = { ...vouched, value: "by-hand" };
const atMs = 1_767_225_600_000;

const aNode = (...taints: Taint[]): Node => ({ metadata: { name: "a", uid: "a" }, spec: { taints } }) as Node;

describe("a machine that is off", () => {
  test.each([
    { name: "gets upstream's taint", before: [], after: [{ ...vouched, timeAdded: "2026-01-01T00:00:00Z" }] },
    {
      name: "keeps its other taints",
      before: [unreachable],
      after: [unreachable, { ...vouched, timeAdded: "2026-01-01T00:00:00Z" }],
    },
    { name: "with the taint is not changed, whatever the value", before: [byHand], after: undefined },
    {
      name: "with the same key of another effect gets it in addition",
      before: [{ ...vouched, effect: "NoSchedule" as const }],
      after: [
        { ...vouched, effect: "NoSchedule" },
        { ...vouched, timeAdded: "2026-01-01T00:00:00Z" },
      ],
    },
  ])("$name", ({ before, after }) => {
    expect(planVouching(aNode(...before), atMs)?.spec?.taints).toEqual(after);
  });
});

describe("a machine that is powered on", () => {
  test.each([
    { name: "loses only that taint", before: [unreachable, vouched], after: [unreachable] },
    { name: "loses it whatever its value", before: [byHand], after: [] },
    { name: "without it is not changed", before: [unreachable], after: undefined },
  ])("$name", ({ before, after }) => {
    expect(planWithdrawal(aNode(...before))?.spec?.taints).toEqual(after);
  });
});

describe("the change reaches the cluster", () => {
  function startApi() {
    const clock = new VirtualClock();
    const random = new SeededRandom(1);
    const api = new MemoryApi({ clock, random }, storedTypes);
    const world = { api, onRead: () => {}, outOfService: createOutOfService({ clock, connect }), keys };
    function connect() {
      const handle = async (request: HandlerRequest) => {
        const response = await api.handle(request);
        if (request.method === "GET") world.onRead();
        return response;
      };
      return createInProcessClient({ handler: { handle }, clock, random }, { identity: { name: "admin", groups: [] } });
    }
    async function keys() {
      const node = await connect().get(nodes, { namespace: "", name: "a" });
      return node.spec?.taints?.map(({ key }) => key);
    }
    return world;
  }

  test("through conflicts with other writers", async () => {
    const world = startApi();
    world.api.log.put("nodes", aNode());
    let reads = 0;
    world.onRead = () => {
      if (reads++ < 2) world.api.log.put("nodes", aNode({ ...unreachable, value: `${reads}` }));
    };
    await world.outOfService.vouch("a");
    expect(reads).toBe(3);
    expect(await world.keys()).toEqual([unreachable.key, vouched.key]);
    await world.outOfService.withdraw("a");
    expect(await world.keys()).toEqual([unreachable.key]);
  });

  test("or the action fails if no write succeeds", async () => {
    const world = startApi();
    world.api.log.put("nodes", aNode());
    let reads = 0;
    world.onRead = () => void world.api.log.put("nodes", aNode({ ...unreachable, value: `${reads++}` }));
    await expect(world.outOfService.vouch("a")).rejects.toThrow(/^Operation cannot be fulfilled on nodes/);
    expect(reads).toBe(11);
  });

  test("unless it has no such Node", async () => {
    await expect(startApi().outOfService.vouch("a")).resolves.toBeUndefined();
  });
});
