import { type Container, type PodSpec, pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { type TestNode, withNode } from "../../testing/test-node.ts";
import { doing } from "../../testing/builders.ts";

// The kubelet probes containers, and acts on the results.

const second = 1000;

const running = (probes: Partial<Container>, what = "run"): Partial<PodSpec> => ({
  containers: [{ name: "c", image: `script.kintsugi.dev/${what}`, ...probes }],
});
const statusOf = async (node: TestNode, name = "p") => (await node.pod(name)).status?.containerStatuses?.[0];
const failure = { kind: "failure", output: "no" } as const;

test("a ready container remains ready over a restart of the kubelet until its probe has failed often enough", () =>
  withNode(async (node) => {
    const readinessProbe = { grpc: { port: 5000, service: "" }, periodSeconds: 1, failureThreshold: 3 };
    await node.createPod("p", running({ readinessProbe }));
    await node.clock.advance(5 * second);
    expect(await statusOf(node)).toMatchObject({ ready: true, started: true });
    await node.stop();
    node.prober.answer(() => failure);
    await node.start();
    await node.clock.advance(1900);
    expect((await statusOf(node))?.ready).toBe(true);
    await node.clock.advance(3 * second);
    expect((await statusOf(node))?.ready).toBe(false);
  }));

test("a kubelet that has stopped does not probe containers", () =>
  withNode(async (node) => {
    const readinessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1 };
    await node.createPod("p", running({ readinessProbe }));
    await node.clock.advance(5 * second);
    expect(node.prober.asked.length).toBeGreaterThan(3);
    await node.stop();
    const asked = node.prober.asked.length;
    await node.clock.advance(10 * second);
    expect(node.prober.asked.length).toBe(asked);
  }));

test("a container that is still starting is probed by the next kubelet, and is neither started nor killed early", () =>
  withNode(async (node) => {
    const startupProbe = { tcpSocket: { port: 1 }, periodSeconds: 10, failureThreshold: 3 };
    const livenessProbe = { tcpSocket: { port: 2 }, periodSeconds: 1, failureThreshold: 1 };
    node.prober.answer(() => failure);
    await node.createPod("p", running({ startupProbe, livenessProbe }));
    await node.clock.advance(15 * second);
    const before = await node.pod("p");
    await node.restart();
    await node.clock.advance(15 * second);
    expect((await node.pod("p")).status).toEqual(before.status);
    expect(node.prober.asked.some(({ handler }) => handler.tcpSocket?.port === 2)).toBe(false);
    node.prober.answer(() => ({ kind: "success" }));
    await node.clock.advance(10 * second);
    expect(await statusOf(node)).toMatchObject({ started: true, ready: true, restartCount: 0 });
  }));

test.each([
  ["livenessProbe", 5],
  ["startupProbe", 5],
  ["livenessProbe", undefined],
] as const)(
  "after a failed %s its grace period of %s s takes precedence over the pod's",
  (probe, terminationGracePeriodSeconds) =>
    withNode(async (node) => {
      const grace = terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds };
      const fields = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1, ...grace };
      node.prober.answer(() => failure);
      await node.createPod("p", { ...running({ [probe]: fields }, "stubborn"), terminationGracePeriodSeconds: 20 });
      await node.clock.advance(4 * second);
      expect((await statusOf(node))?.restartCount).toBe(0);
      await node.clock.advance(6 * second);
      expect((await statusOf(node))?.restartCount).toBe(terminationGracePeriodSeconds === undefined ? 0 : 1);
    }),
);

test("containers that ignore SIGTERM are killed concurrently and do not delay the other containers of their pod", () =>
  withNode(async (node) => {
    const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1 };
    const stubborn = (name: string) => ({ name, image: "script.kintsugi.dev/stubborn", livenessProbe });
    const crashing = { name: "crashing", image: "script.kintsugi.dev/exit:7-after-5s" };
    node.prober.answer(() => failure);
    await node.createPod("p", {
      containers: [stubborn("a"), stubborn("b"), crashing],
      terminationGracePeriodSeconds: 20,
    });
    const restarts = async () =>
      Object.fromEntries(
        (await node.pod("p")).status?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]) ?? [],
      );
    await node.clock.advance(8 * second);
    expect(await restarts()).toEqual({ a: 0, b: 0, crashing: 1 });
    // Each event is sent once, however often its pod is synced in the meantime.
    const killings = (await node.events()).filter((event) => event.includes("Killing"));
    expect(killings).toHaveLength(2);
    expect(killings.join()).not.toContain("x2");
    await node.clock.advance(14 * second);
    expect(await restarts()).toMatchObject({ a: 1, b: 1 });
  }));

test("a pod that is deleted during a container's kill is removed when its own grace period has passed", () =>
  withNode(async (node) => {
    const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1 };
    node.prober.answer(() => failure);
    await node.createPod("p", { ...running({ livenessProbe }, "stubborn"), terminationGracePeriodSeconds: 60 });
    await node.clock.advance(5 * second);
    await node.client.delete(pods, { name: "p", namespace: "default" }, { gracePeriodSeconds: 3 });
    await node.clock.advance(5 * second);
    await expect(node.pod("p")).rejects.toThrow("not found");
    await node.clock.advance(120 * second);
    expect(await node.runtime.listContainers()).toEqual([]);
  }));

test("a warning counts as success and has an event", () =>
  withNode(async (node) => {
    node.prober.answer(() => ({ kind: "warning", output: "Probe terminated redirects, Response body: " }));
    await node.createPod("p", running({ readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 } }));
    await node.clock.advance(2 * second);
    expect((await statusOf(node))?.ready).toBe(true);
    expect(await node.events()).toContainEqual(
      expect.stringContaining("ProbeWarning: Readiness probe warning: Probe terminated redirects, Response body: "),
    );
  }));

test("a pod on the node's network is probed at the node's address", () =>
  withNode(async (node) => {
    const asked: string[] = [];
    node.prober.answer((_, { podIp }) => {
      asked.push(podIp);
      return { kind: "success" };
    });
    const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1 };
    await node.createPod("p", { ...running({ livenessProbe }), hostNetwork: true });
    await node.clock.advance(3 * second);
    expect(new Set(asked)).toEqual(new Set(["192.168.0.11"]));
  }));

test("readiness gates are conditions that other writers set, and a pod is ready with all of them", () =>
  withNode(async (node) => {
    await node.createPod("p", { ...running({}), readinessGates: [{ conditionType: "example.com/lb" }] });
    await node.clock.advance(2 * second);
    const ready = async () => (await node.pod("p")).status?.conditions?.find(({ type }) => type === "Ready");
    expect(await ready()).toMatchObject({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
    });
    const setGate = async (status: "True" | "False") => {
      const pod = await node.pod("p");
      const others = pod.status?.conditions?.filter(({ type }) => type !== "example.com/lb") ?? [];
      const conditions = [...others, { type: "example.com/lb", status }];
      const next = { ...pod, status: { ...pod.status, conditions } };
      await node.client.update(pods, next as typeof pod, { subresource: "status" });
      await node.clock.advance(100);
    };
    await setGate("True");
    expect(await ready()).toMatchObject({ status: "True" });
    await setGate("False");
    expect(await ready()).toMatchObject({
      message: 'the status of pod readiness gate "example.com/lb" is not "True", but False',
    });
  }));

test("a liveness probe that fails three times has the container killed and restarted", () =>
  withNode(async (node) => {
    const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 };
    await node.createPod("p", doing("run", {}, { livenessProbe }));
    await node.clock.advance(5 * second);
    node.prober.answer(() => ({ kind: "failure", output: "HTTP probe failed with statuscode: 500" }));
    await node.clock.advance(26 * second);
    expect(await node.running()).toEqual(["p/c#1"]);
    const events = await node.events();
    expect(events).toContain("Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500 (x3)");
    expect(events).toContain("Killing: Container c failed liveness probe, will be restarted");
  }));

test("readiness follows its probe without a restart", () =>
  withNode(async (node) => {
    await node.createPod(
      "p",
      doing("run", {}, { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 } }),
    );
    const isReady = async () => (await node.pod("p")).status?.containerStatuses?.[0]?.ready;
    await node.clock.advance(3 * second);
    expect(await isReady()).toBe(true);
    node.prober.answer(() => ({ kind: "failure", output: "no" }));
    await node.clock.advance(2 * second);
    expect(await isReady()).toBe(false);
    node.prober.answer(() => ({ kind: "success" }));
    await node.clock.advance(2 * second);
    expect(await isReady()).toBe(true);
    expect(await node.running()).toEqual(["p/c#0"]);
  }));

test("a startup probe suspends the liveness probe until it has succeeded", () =>
  withNode(async (node) => {
    const probes = {
      startupProbe: { httpGet: { port: 1 }, periodSeconds: 10, failureThreshold: 12 },
      livenessProbe: { httpGet: { port: 2 }, periodSeconds: 1, failureThreshold: 1 },
    };
    node.prober.answer(() => ({ kind: "failure", output: "still starting" }));
    await node.createPod("p", doing("run", {}, probes));
    await node.clock.advance(100 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    expect(node.prober.asked.every(({ handler }) => handler.httpGet?.port === 1)).toBe(true);
    expect((await node.pod("p")).status?.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
    await node.clock.advance(20 * second);
    expect(await node.events()).toContain("Killing: Container c failed startup probe, will be restarted");
    expect(await node.running()).toEqual(["p/c#1"]);
  }));
