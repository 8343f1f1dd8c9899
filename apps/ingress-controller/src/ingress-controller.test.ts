import {
  type ApiObject,
  endpointSlices,
  events,
  ingressClasses,
  ingresses,
  silentMetrics,
  secrets,
  services,
  silentLogger,
} from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { untilAborted } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, onTestFinished, test } from "vitest";
import { createIngressController } from "./ingress-controller.ts";
import type { RoutePlan } from "./plan/route-plan.ts";
import { aClass, anIngress, aRule, aService, aSlice } from "./testing/builders.ts";

async function start() {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const types = [ingresses, ingressClasses, services, endpointSlices, secrets, events];
  const api = new MemoryApi({ clock, random }, types);
  const client = createInProcessClient({ handler: api, clock, random }, { identity: { name: "ingress", groups: [] } });
  const plans: RoutePlan[] = [];
  const gateway = { failure: undefined as string | undefined, serve, run: untilAborted };
  async function serve(plan: RoutePlan): Promise<void> {
    if (gateway.failure !== undefined) throw new Error(gateway.failure);
    plans.push(plan);
  }
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const put = (resource: string, object: object) => api.log.put(resource, object as ApiObject);
  put("ingressclasses", aClass());
  put("services", aService("web"));
  put("endpointslices", aSlice("web", { "10.0.0.1": true, "10.0.0.2": true }));
  const options = { publishAddress: "192.0.2.1", minSyncPeriodMs: 500 };
  const deps = { client, clock, random, log: silentLogger, metrics: silentMetrics, gateway };
  const controller = createIngressController(deps, options);
  void controller.run(stop.signal).catch(() => {});
  await clock.advance(1000);
  const statusOf = async (name: string) =>
    (await client.get(ingresses, { namespace: "shop", name })).status?.loadBalancer?.ingress;
  const reasons = async () => (await client.list(events)).items.map(({ reason }) => reason);
  return { clock, api, plans, gateway, put, statusOf, reasons, controller };
}

const web = () => anIngress("web", { rules: [aRule("a.example", { "/": "web:80" })] });
const addresses = (plan: RoutePlan | undefined) =>
  plan?.backends.flatMap(({ servers }) => servers.map(({ address }) => address));

test("an Ingress is served before its status reports it, and follows its endpoints", async () => {
  const { clock, plans, put, statusOf, gateway } = await start();
  gateway.failure = "no memory";
  put("ingresses", web());
  await clock.advance(5000);
  expect(await statusOf("web")).toBeUndefined();
  gateway.failure = undefined;
  await clock.advance(31_000);
  expect(addresses(plans.at(-1))).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(await statusOf("web")).toEqual([{ ip: "192.0.2.1" }]);
  put("endpointslices", aSlice("web", { "10.0.0.1": false, "10.0.0.2": true }));
  await clock.advance(600);
  expect(addresses(plans.at(-1))).toEqual(["10.0.0.2"]);
});

test("changes that do not affect routes are not written, and concurrent changes cause a single set of routes", async () => {
  const { clock, plans, put } = await start();
  put("ingresses", web());
  await clock.advance(2000);
  const before = plans.length;
  put("services", { ...aService("web"), metadata: { ...aService("web").metadata, labels: { a: "b" } } });
  put("services", aService("elsewhere"));
  await clock.advance(5000);
  expect(plans).toHaveLength(before);
  for (let i = 0; i < 20; i++) {
    put("endpointslices", aSlice("web", { [`10.0.1.${i}`]: true }));
    await clock.advance(20);
  }
  await clock.advance(1000);
  expect(addresses(plans.at(-1))).toEqual(["10.0.1.19"]);
  expect(plans.length - before).toBeLessThanOrEqual(3);
});

test("a problem is reported once, and again when it recurs", async () => {
  const { clock, put, reasons } = await start();
  const broken = () => anIngress("web", { rules: [aRule("a.example", { "/": "gone:80" })] });
  put("ingresses", broken());
  await clock.advance(2000);
  put("services", aService("other"));
  put("endpointslices", aSlice("web", { "10.0.0.9": true }));
  await clock.advance(2000);
  expect(await reasons()).toEqual(["ServiceNotFound"]);
});

test("an Ingress whose class is removed is no longer served or reported as served", async () => {
  const { clock, put, api, plans, statusOf } = await start();
  put("ingresses", web());
  await clock.advance(2000);
  expect(plans.at(-1)?.tables).toHaveLength(1);
  api.log.delete("ingressclasses", aClass());
  await clock.advance(2000);
  expect(plans.at(-1)?.tables).toHaveLength(0);
  expect(await statusOf("web")).toEqual([]);
});

test("no Ingress is served before all objects are listed", async () => {
  const { controller } = await start();
  expect(controller.serves).toBe(true);
});
