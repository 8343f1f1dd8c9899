import { pods, type ResourceRequirements } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode, withNode } from "../../testing/test-node.ts";

// The cgroups above the containers': their limits throughout a pod's life.

const second = 1000;
const mebibyte = 1024 * 1024;

const asking = (resources: ResourceRequirements) => ({
  containers: [{ name: "c", image: "script.kintsugi.dev/run", resources }],
});
const both = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const groupOf = async (node: TestNode, parent: string, name: string) =>
  node.cgroups.groups.get(`${parent}/pod${(await node.pod(name)).metadata.uid}`);

test("each pod has its own cgroup in its class with a limit for the whole pod, until it no longer exists", () =>
  withNode(async (node) => {
    await node.createPod("guaranteed", asking(both("500m", "64Mi")));
    await node.createPod("burstable", asking({ requests: { cpu: "250m" } }));
    await node.createPod("besteffort", asking({}));
    await node.clock.advance(second);
    expect(await groupOf(node, "/kubepods", "guaranteed")).toEqual({
      cpuShares: 512,
      cpuQuotaUs: 50_000,
      memoryBytes: 64 * mebibyte,
    });
    expect(await groupOf(node, "/kubepods/burstable", "burstable")).toEqual({ cpuShares: 256 });
    expect(await groupOf(node, "/kubepods/besteffort", "besteffort")).toEqual({ cpuShares: 2 });
    expect(node.cgroups.groups.get("/kubepods/burstable")).toEqual({ cpuShares: 256 });
    expect(node.cgroups.groups.get("/kubepods/besteffort")).toEqual({ cpuShares: 2 });
    await node.deletePod("burstable", 0);
    await node.clock.advance(61 * second);
    expect([...node.cgroups.groups.keys()].filter((path) => path.includes("/burstable/"))).toEqual([]);
    expect(node.cgroups.groups.get("/kubepods/burstable")).toEqual({ cpuShares: 2 });
  }));

test("all pods together are limited to the resources that are not reserved, and the node reports it", async () => {
  const reserved = { cpuMillicores: 500, memoryBytes: 512 * mebibyte, ephemeralStorageBytes: 0 };
  await using node = new TestNode({ reserved });
  node.cgroups.refuses = /kubepods$/;
  await node.start();
  const facts = await node.machine.facts();
  expect((await node.events()).filter((event) => event.includes("AllocatableEnforce"))).toEqual([
    'FailedNodeAllocatableEnforcement: Failed to update Node Allocatable Limits "/kubepods": failed to set /kubepods: device or resource busy',
  ]);
  node.cgroups.refuses = undefined;
  await node.clock.advance(61 * second);
  expect(node.cgroups.groups.get("/kubepods")).toEqual({
    cpuShares: Math.floor(((facts.cpuMillicores - 500) * 1024) / 1000),
    memoryBytes: facts.memoryBytes - 512 * mebibyte,
  });
  expect((await node.events()).at(-1)).toBe("NodeAllocatableEnforced: Updated Node Allocatable limit across pods");
});

test("a pod whose cgroup cannot be created does not run outside it, and states the reason until it can run", () =>
  withNode(async (node) => {
    node.cgroups.refuses = /\/pod/;
    await node.createPod("p", asking({}));
    await node.clock.advance(5 * second);
    expect(await node.running()).toEqual([]);
    expect((await node.events()).join("\n")).toContain(
      "FailedToCreatePodContainer: unable to ensure pod container exists",
    );
    node.cgroups.refuses = undefined;
    await node.clock.advance(20 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
  }));

test("a resize changes the pod's limits with its containers' limits, before them when growing and after them when shrinking", () =>
  withNode(async (node) => {
    await node.createPod("p", asking(both("500m", "64Mi")));
    await node.clock.advance(second);
    const ask = async (resources: ResourceRequirements) => {
      const pod = await node.pod("p");
      const containers = (pod.spec?.containers ?? []).map((container) => ({ ...container, resources }));
      await node.client.update(pods, { ...pod, spec: { ...pod.spec, containers } });
      await node.clock.advance(second);
    };
    await ask(both("1", "128Mi"));
    expect(await groupOf(node, "/kubepods", "p")).toMatchObject({ cpuQuotaUs: 100_000, memoryBytes: 128 * mebibyte });
    await ask(both("250m", "32Mi"));
    expect(await groupOf(node, "/kubepods", "p")).toMatchObject({ cpuQuotaUs: 25_000, memoryBytes: 32 * mebibyte });
    const bounds = node.cgroups.history
      .filter(([path]) => path.includes("/pod"))
      .map(([, limits]) => limits.cpuQuotaUs);
    const calls = node.runtime.callsOf("updateContainerResources").length;
    expect(calls).toBe(2);
    // Limits at the creation of the sandbox, at the first resize (raise, then limit), and at the
    // second resize (without a raise, then limit).
    expect(bounds).toEqual([50_000, 100_000, 100_000, undefined, 25_000]);
  }));

test("containers share the pod's resources, and containers without a limit have the pod's limit", () =>
  withNode(async (node) => {
    const whole = { cpu: "500m", memory: "64Mi" };
    const container = { image: "script.kintsugi.dev/run" };
    await node.createPod("shared", {
      resources: { requests: whole, limits: whole },
      containers: [
        { ...container, name: "small", resources: { requests: { memory: "16Mi" }, limits: { memory: "32Mi" } } },
        { ...container, name: "open" },
      ],
    });
    await node.clock.advance(second);
    expect(await node.running()).toEqual(["shared/open#0", "shared/small#0"]);
    expect((await node.pod("shared")).status?.qosClass).toBe("Guaranteed");
    expect(await groupOf(node, "/kubepods", "shared")).toEqual({
      cpuShares: 512,
      cpuQuotaUs: 50_000,
      memoryBytes: 64 * mebibyte,
    });
    const created = node.runtime.callsOf("createContainer").map(({ args }) => {
      const { config } = args[0] as { config: { metadata: { name: string }; linux: { resources: object } } };
      return [config.metadata.name, config.linux.resources];
    });
    expect(Object.fromEntries(created)).toMatchObject({
      small: { cpuQuota: 50_000, memoryLimitBytes: 32 * mebibyte },
      open: { cpuQuota: 50_000, memoryLimitBytes: 64 * mebibyte },
    });
  }));

test("a node without enough resources for the pod-level request rejects the pod", () =>
  withNode(async (node) => {
    await node.createPod("large", { ...asking({}), resources: { requests: { cpu: "1000" } } });
    await node.clock.advance(second);
    expect((await node.pod("large")).status).toMatchObject({ phase: "Failed", reason: "OutOfcpu" });
  }));
