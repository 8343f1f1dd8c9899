import { type Pod, pods } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import type { Copy } from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;

describe("ready-endpoints-serve: an endpoint that is reported as ready", () => {
  const served = (ready: boolean, more: Partial<Pod["metadata"]> = {}, ip = "10.0.0.1") => {
    const pod = aPod("a", { nodeName: "n1", ip, metadata: more, conditions: [isReady(ready)] });
    return { ...pod, status: { ...pod.status, podIPs: [{ ip }] } } as Pod;
  };
  const isReady = (ready: boolean) => ({ type: "Ready", status: ready ? ("True" as const) : ("False" as const) });
  const calledReady = {
    metadata: { namespace: "default", name: "web-1" },
    addressType: "IPv4",
    endpoints: [
      { addresses: ["10.0.0.1"], conditions: { ready: true }, targetRef: { name: "a", uid: "uid-of-a" } },
      { addresses: ["10.0.0.9"], conditions: { ready: false }, targetRef: { name: "b", uid: "uid-of-b" } },
    ],
  };
  const slice = "discovery.k8s.io/endpointslices/default/web-1";
  const lie = ["ready-endpoints-serve", "slice default/web-1 reports 10.0.0.1 of pod a as ready"];

  /** The world is disturbed, so copies may be old. */
  async function aWorldWith(...pods: Pod[]) {
    const world = openWorld();
    world.quietPeriod.disturb();
    await world.putNode(aNode("n1"));
    for (const pod of pods) await world.putPod(pod);
    return world;
  }

  test("may belong to a pod that is Ready or was Ready a moment ago", async () => {
    const world = await aWorldWith(served(true));
    await world.live(minute);
    await world.put(slice, calledReady);
    await world.putPod(served(false));
    await world.live(10 * second);
    await world.put(slice, calledReady);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(10 * second);
    await world.put(slice, calledReady);
    expect(world.found()).toEqual(lie);
  });

  test("is not checked if it names no pod, such as the api-server's endpoint", async () => {
    const world = await aWorldWith();
    const endpoints = [{ addresses: ["192.0.2.1"], conditions: { ready: true } }];
    await world.put("discovery.k8s.io/endpointslices/default/kubernetes", { ...calledReady, endpoints });
    expect(world.invariants.violation).toBeUndefined();
  });

  test.each(["controller-manager", "controller-manager 2"])(
    "may be outdated while %s has not received the change, and no longer",
    async (owner) => {
      const world = await aWorldWith(served(true));
      const copied = new CopyOfPods(served(true));
      world.copies.push({ owner, informer: copied.informer, options: {} });
      await world.putPod(served(false));
      await world.live(minute);
      await world.put(slice, calledReady);
      copied.hear(served(false));
      await world.live(10 * second);
      await world.put(slice, calledReady);
      expect(world.invariants.violation).toBeUndefined();
      await world.live(10 * second);
      await world.put(slice, calledReady);
      expect(world.found()).toEqual(lie);
    },
  );

  test("may be a state that its writer has just passed through when it caught up", async () => {
    const world = await aWorldWith(served(true));
    const copied = new CopyOfPods(served(false));
    world.copies.push({ owner: "controller-manager", informer: copied.informer, options: {} });
    await world.putPod(served(false));
    await world.live(minute);
    for (const ready of [true, false]) copied.hear(served(ready));
    await world.put(slice, calledReady);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    await world.put(slice, calledReady);
    expect(world.found()).toEqual(lie);
  });

  test("is a violation whatever other processes have cached", async () => {
    const world = await aWorldWith(served(true));
    world.copies.push({ owner: "n1", informer: new CopyOfPods(served(true)).informer, options: {} });
    await world.putPod(served(false));
    await world.live(minute);
    await world.put(slice, calledReady);
    expect(world.found()).toEqual(lie);
  });

  test.each([
    { pod: "never was Ready", pods: [served(false)] },
    { pod: "is Ready at another address", pods: [served(true, {}, "10.0.0.2")] },
    { pod: "is terminating", pods: [served(true, { deletionTimestamp: "2026-01-01T00:00:00Z" })] },
    { pod: "does not exist", pods: [] },
  ])("may not belong to a pod that $pod", async ({ pods }) => {
    const world = await aWorldWith(...pods);
    await world.put(slice, calledReady);
    expect(world.found()).toEqual(lie);
  });
});

type Tell = (change: InformerChange<Pod>) => void;

/** A process's copy of one pod. */
class CopyOfPods {
  readonly informer: Copy["informer"];
  #pod: Pod;
  #tell: Tell = () => {};

  constructor(pod: Pod) {
    this.#pod = pod;
    const onChange = (tell: Tell) => ((this.#tell = tell), () => {});
    this.informer = { type: pods, list: () => [this.#pod], onChange } as unknown as Copy["informer"];
  }

  hear(object: Pod): void {
    const before = this.#pod;
    this.#pod = object;
    this.#tell({ type: "modified", object, before });
  }
}

describe("mirrored-endpoints-agree: Endpoints that are written by hand", () => {
  const service = (selector?: Record<string, string>) => ({
    metadata: { namespace: "default", name: "web" },
    spec: { ports: [{ port: 80 }], ...(selector && { selector }) },
  });
  const handMade = (...ips: string[]) => ({
    metadata: { namespace: "default", name: "web" },
    subsets: [{ addresses: ips.map((ip) => ({ ip })) }],
  });
  const mirror = (...ips: string[]) => ({
    metadata: {
      namespace: "default",
      name: "web-1",
      labels: {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
    },
    addressType: "IPv4",
    endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
  });
  const keys = {
    service: "core/services/default/web",
    endpoints: "core/endpoints/default/web",
    slice: "discovery.k8s.io/endpointslices/default/web-1",
  };

  async function found(objects: readonly (readonly [keyof typeof keys, object])[]) {
    const world = openWorld();
    for (const [kind, object] of objects) await world.put(keys[kind], object);
    await world.live(15 * second);
    return world.invariants.violation === undefined ? undefined : world.found();
  }

  test("may be mirrored to their addresses, or belong to a Service with a selector", async () => {
    expect(
      await found([
        ["service", service()],
        ["endpoints", handMade("192.0.2.1")],
        ["slice", mirror("192.0.2.1")],
      ]),
    ).toBeUndefined();
    expect(
      await found([
        ["service", service({ app: "a" })],
        ["endpoints", handMade("192.0.2.1")],
      ]),
    ).toBeUndefined();
  });

  test.each([
    { what: "are not mirrored", shown: [] as string[] },
    { what: "have a mirror of an earlier state", shown: ["192.0.2.7"] },
  ])("violate it if they $what", async ({ shown }) => {
    const slices = shown.length === 0 ? [] : [["slice", mirror(...shown)] as const];
    const [name, message] = (await found([
      ["service", service()],
      ["endpoints", handMade("192.0.2.1")],
      ...slices,
    ])) as string[];
    expect(name).toBe("mirrored-endpoints-agree");
    expect(message).toContain(`service default/web is mirrored to "${shown.join(" ")}" instead of "192.0.2.1"`);
  });

  test("violate it if a mirror outlives them", async () => {
    const [name] = (await found([
      ["service", service()],
      ["slice", mirror("192.0.2.1")],
    ])) as string[];
    expect(name).toBe("mirrored-endpoints-agree");
  });
});
