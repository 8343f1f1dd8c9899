import type { Node, ResourceSlice } from "@kintsugi/api";
import { expect, test } from "vitest";
import { indexOfDevice, planSlices } from "./plan-slices.ts";

const devices = {
  driverName: "device.lab.kintsugi.dev",
  nodeName: "node-1",
  count: 2,
  model: "lab-1",
  memory: "1Gi",
};
const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "uid-1" } };
const published = (count: number): readonly ResourceSlice[] =>
  planSlices({ ...devices, count }, { present: [], owner: node }).create;

test("a node publishes its devices with their attributes, owned by the Node", () => {
  const [slice, ...others] = published(2);
  expect(others).toEqual([]);
  expect(slice).toMatchObject({
    metadata: { name: "node-1-device.lab.kintsugi.dev-0", ownerReferences: [{ kind: "Node", uid: "uid-1" }] },
    spec: {
      nodeName: "node-1",
      pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
      devices: [
        { name: "device-0", attributes: { model: { string: "lab-1" }, index: { int: 0 } } },
        { name: "device-1", capacity: { memory: { value: "1Gi" } } },
      ],
    },
  });
});

test("existing slices are not rewritten because of fields that the API added", () => {
  const present = published(2).map((slice) => ({ ...slice, metadata: { ...slice.metadata, resourceVersion: "7" } }));
  expect(planSlices(devices, { present, owner: node })).toEqual({ create: [], update: [], remove: [] });
});

test("more devices than a slice holds are published in several slices of one pool", () => {
  const slices = published(300);
  expect(slices.map(({ spec }) => spec.devices?.length)).toEqual([128, 128, 44]);
  expect(slices.map(({ spec }) => spec.pool)).toEqual(
    Array(3).fill({ name: "node-1", generation: 1, resourceSliceCount: 3 }),
  );
});

test("a different number of devices is a new generation of the whole pool", () => {
  const plan = planSlices({ ...devices, count: 130 }, { present: published(300), owner: node });
  expect(plan.create).toEqual([]);
  expect(plan.update.map(({ spec }) => [spec.pool.generation, spec.pool.resourceSliceCount])).toEqual([
    [2, 2],
    [2, 2],
  ]);
  expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual(["node-1-device.lab.kintsugi.dev-2"]);
});

test("a broken device is tainted once, with the time that the API recorded, until it is repaired", () => {
  const before = published(2);
  const [tainted] = planSlices(devices, { present: before, owner: node, broken: ["device-1", "other"] }).update;
  const taint = { key: "device.lab.kintsugi.dev/broken", effect: "NoExecute" };
  expect(tainted?.spec.pool.generation).toBe(2);
  expect(tainted?.spec.devices?.map(({ taints }) => taints)).toEqual([undefined, [taint]]);
  const noted = { ...taint, timeAdded: "2026-01-01T00:00:00Z" };
  const [first, second] = tainted?.spec.devices ?? [];
  const present = [{ ...tainted!, spec: { ...tainted!.spec, devices: [first!, { ...second!, taints: [noted] }] } }];
  expect(planSlices(devices, { present, owner: node, broken: ["device-1"] }).update).toEqual([]);
  const both = planSlices(devices, { present, owner: node, broken: ["device-1", "device-0"] }).update;
  expect(both[0]?.spec.devices?.map(({ taints }) => taints)).toEqual([[taint], [noted]]);
  const whole = planSlices(devices, { present, owner: node }).update;
  expect(whole[0]?.spec.devices?.map(({ taints }) => taints)).toEqual([undefined, undefined]);
});

test("a node without devices has an empty slice, so that its pool is complete", () => {
  expect(published(0).map(({ spec }) => spec.devices)).toEqual([[]]);
});

test.each<[string, number | undefined]>([
  ["device-0", 0],
  ["device-1", 1],
  ["device-2", undefined],
  ["device-01", undefined],
  ["../device-0", undefined],
  ["gpu-0", undefined],
])("%s has the index %s", (name, index) => {
  expect(indexOfDevice(name, { count: 2 })).toBe(index);
});
