import {
  configMaps,
  cronJobs,
  deployments,
  horizontalPodAutoscalers,
  limitRanges,
  nodes,
  pods,
  resourceQuotas,
  serviceAccounts,
  services,
  silentLogger,
  validatingWebhookConfigurations,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { incidents, program, startIncident } from "@kintsugi/test-server/factory";
import { describe, expect, test } from "vitest";

// Each incident shows its symptom, does not end by itself, and ends by a known answer. Wrong
// answers are rejected.

const shop = "shop";
const web = { namespace: shop, name: "web" };
const merge = (body: object) => ({ type: "merge" as const, body });
const change = (client: Client, spec: object) =>
  client.patch(deployments, web, { type: "strategic", body: { spec: { template: { spec } } } });
const changeMain = (client: Client, container: object) =>
  change(client, { containers: [{ name: "main", ...container }] });

/** The answers of a person who knows the cause. */
const answers: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "stuck-release": (client) => changeMain(client, { image: "registry.example.com/shop/web:1.4" }),
  "restarting-pods": (client) => changeMain(client, { command: null }),
  "never-ready": (client) => changeMain(client, { readinessProbe: null }),
  "waiting-pods": (client) => changeMain(client, { resources: { requests: { cpu: "500m" } } }),
  "silent-pods": (client) => change(client, { schedulerName: "default-scheduler" }),
  "tired-pods": (client) => changeMain(client, { command: null, resources: { limits: null } }),
  "small-again": async (client) => {
    await client.patch(horizontalPodAutoscalers, web, merge({ spec: { minReplicas: 6, maxReplicas: 12 } }));
    await client.patch(deployments, web, merge({ spec: { replicas: 6 } }));
  },
  "half-a-shop": (client) => client.patch(deployments, web, merge({ spec: { replicas: 6 } })),
  "lost-visitors": (client) => client.patch(services, web, merge({ spec: { selector: { tier: null } } })),
  "missing-pods": (client) =>
    client.patch(resourceQuotas, { namespace: shop, name: "budget" }, merge({ spec: { hard: { pods: "20" } } })),
  "no-new-pods": (client) => client.delete(limitRanges, { namespace: shop, name: "small" }),
  "containers-that-do-not-start": (client) =>
    client.create(configMaps, { metadata: { namespace: shop, name: "settings" }, data: { mode: "production" } }),
  "nobody-to-run-as": (client) => client.create(serviceAccounts, { metadata: web }),
  "no-report": (client) =>
    client.patch(cronJobs, { namespace: shop, name: "report" }, merge({ spec: { suspend: false } })),
  "namespace-that-stays": (client) =>
    client.patch(configMaps, { namespace: "old-shop", name: "ledger" }, merge({ metadata: { finalizers: null } })),
  "database-that-lost-a-member": async (client) => {
    const { items } = await client.list(pods, { namespace: shop, labelSelector: "app=database" });
    for (const { metadata } of items.filter((pod) => pod.metadata.deletionTimestamp !== undefined))
      await client.delete(pods, { namespace: shop, name: metadata.name ?? "" }, { gracePeriodSeconds: 0 });
  },
  "nowhere-to-go": (client) => onNodes(client, { unschedulable: null }),
  "driven-out": (client) => onNodes(client, { taints: null }),
  "nothing-is-created": (client) => client.delete(validatingWebhookConfigurations, { namespace: "", name: "policy" }),
  "pushed-aside": async (client) => {
    const key = { namespace: shop, name: "batch" };
    await client.patch(deployments, key, merge({ spec: { replicas: 1 } }));
  },
};

async function onNodes(client: Client, spec: object): Promise<void> {
  for (const { metadata } of (await client.list(nodes)).items)
    await client.patch(nodes, { namespace: "", name: metadata.name ?? "" }, merge({ spec }));
}

async function begin(name: string, seed: number) {
  const incident = incidents.find((each) => each.name === name);
  if (incident === undefined) throw new Error(`there is no incident ${name}`);
  const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
  const { server, begin: beginNow } = await startIncident(deps, {
    incident,
    seed,
    options: program.readConfig(["--clock=steered", "--nodes=4"]),
  });
  const run = await beginNow();
  server.steering?.setPace(0);
  const advance = (minutes: number) => server.steering?.advance({ durationMs: minutes * 60_000, giveClientsMs: 0 });
  return { server, run, incident, advance };
}

test("every incident has an answer", () => {
  expect(Object.keys(answers).toSorted()).toEqual(incidents.map(({ name }) => name).toSorted());
});

describe.each(incidents.map(({ name }, index) => [name, index] as const))("%s", (name, index) => {
  test("does not resolve by itself, and is resolved by its answer", async () => {
    const { server, run, incident, advance } = await begin(name, index + 1);
    await using _ = server;
    await advance(20);
    const before = await run.check(undefined);
    expect(before).toMatchObject({ isOver: false, cheats: [] });
    expect(before.harm).not.toBe("");
    await answers[name]?.(server.client);
    await advance(10);
    expect(await run.check(incident.cause)).toMatchObject({ isOver: true, cheats: [], isCauseRight: true });
  });
});

test("a replaced workload is rejected as an answer, and a wrong cause is reported", async () => {
  const { server, run, advance } = await begin("waiting-pods", 1);
  await using _ = server;
  const { client } = server;
  const { spec } = await client.get(deployments, web);
  await client.delete(deployments, web, { propagationPolicy: "Foreground" });
  await advance(2);
  await client.create(deployments, { metadata: web, spec });
  await changeMain(client, { resources: { requests: { cpu: "500m" } } });
  await advance(10);
  expect(await run.check("quota")).toMatchObject({
    isOver: true,
    cheats: ["the Deployment web has changed"],
    isCauseRight: false,
  });
});

test("a machine that a test restores is rejected as an answer", async () => {
  const { server, run, advance } = await begin("database-that-lost-a-member", 1);
  await using _ = server;
  await server.faults.undoAll();
  await advance(5);
  const { isOver, cheats } = await run.check("node-dead");
  expect(isOver).toBe(true);
  expect(cheats).toEqual([expect.stringContaining("a fault of the machines was undone")]);
});

test.each([
  [
    "another program",
    "stuck-release",
    (client: Client) => changeMain(client, { image: "nginx" }),
    "the program of the web",
  ],
  [
    "a program that does nothing",
    "tired-pods",
    (client: Client) => changeMain(client, { command: ["sleep", "100000"] }),
    "the program of the web",
  ],
] as const)("%s is rejected as an answer", async (_what, name, answer, kept) => {
  const { server, run, advance } = await begin(name, 1);
  await using _ = server;
  await answer(server.client);
  await advance(10);
  const { isOver, cheats } = await run.check(undefined);
  expect(isOver).toBe(true);
  expect(cheats).toEqual([`${kept} has changed`]);
});

test("a workload that is scaled up under an autoscaler is scaled down before it is judged", async () => {
  const { server, run, advance } = await begin("small-again", 1);
  await using _ = server;
  await server.client.patch(deployments, web, merge({ spec: { replicas: 6 } }));
  await advance(10);
  expect(await run.check(undefined)).toMatchObject({ isOver: false });
});

test("a reset and a user's fault are not answers", async () => {
  const { server, run, advance } = await begin("half-a-shop", 1);
  await using _ = server;
  await server.client.patch(deployments, web, merge({ spec: { replicas: 6 } }));
  await advance(5);
  await server.marks.reset(server.marks.mark("mended").name);
  await server.faults.call({ fault: "compaction", target: undefined, with: {}, forMs: undefined, seed: 1 });
  expect((await run.check("scaled-down")).cheats).toEqual([
    "a fault was injected, which is only possible in a test",
    "all objects were restored by a reset, which is only possible in a test",
  ]);
});
