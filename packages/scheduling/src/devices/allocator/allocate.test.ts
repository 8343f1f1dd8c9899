import type { Device, DeviceClaim, ResourceSlice } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import {
  allocateOn,
  alternatives,
  devicesFor,
  type DeviceWorld,
  here,
  inUse,
  oneDevice,
  zone,
} from "../../testing/device-worlds.ts";
import { aDevice, aDeviceRequest, aSlice, selecting, type SliceDetails, testDriver } from "../../testing/devices.ts";

describe("the devices of a claim", () => {
  const [g0, g1, g2] = ["g0", "g1", "g2"].map((name, index) =>
    aDevice(name, { model: index === 2 ? "old" : "new", numa: index === 0 ? "0" : "1" }),
  ) as [Device, Device, Device];
  const three = here(g0, g1, g2);
  const sharing = (spec: Partial<ResourceSlice["spec"]>, details: SliceDetails = {}) => ({
    slices: [aSlice({ devices: [g0], spec, ...details })],
  });
  const match = (attribute: string) => [{ matchAttribute: `${testDriver}/${attribute}` }];

  test.each<[string, string[][] | string, DeviceWorld, ...DeviceClaim[]]>([
    ["the first that is free", [["r: g1"]], { ...three, known: [inUse("g0")] }, oneDevice],
    ["no device if all devices are in use", "does not fit", { ...here(g0), known: [inUse("g0")] }, oneDevice],
    [
      "a device that is used for administration only",
      [["r: g0"]],
      { ...three, known: [inUse("g0", { adminAccess: true })] },
      oneDevice,
    ],
    [
      "a device in use, for administration",
      [["r: g0"]],
      { ...here(g0), known: [inUse("g0")] },
      { requests: [aDeviceRequest("r", { adminAccess: true })] },
    ],
    [
      "no device twice for administration",
      "does not fit",
      here(g0),
      { requests: [aDeviceRequest("r", { adminAccess: true, count: 2 })] },
    ],
    ["as many as it requests", [["r: g0", "r: g1"]], three, { requests: [aDeviceRequest("r", { count: 2 })] }],
    ["never fewer", "does not fit", three, { requests: [aDeviceRequest("r", { count: 4 })] }],
    [
      "a device that its selectors match",
      [["r: g2"]],
      three,
      { requests: [aDeviceRequest("r", { selectors: selecting("model=old") })] },
    ],
    [
      "a device that all of its selectors match",
      "does not fit",
      three,
      { requests: [aDeviceRequest("r", { selectors: selecting("model=old", "numa=0") })] },
    ],
    [
      "a device that its class matches",
      [["r: g2"]],
      three,
      { requests: [aDeviceRequest("r", { deviceClassName: "old" })] },
    ],
    [
      "all devices that match",
      [["r: g0", "r: g1"]],
      three,
      { requests: [aDeviceRequest("r", { allocationMode: "All", count: 0, selectors: selecting("model=new") })] },
    ],
    [
      "not all devices if one is in use",
      "does not fit",
      { ...three, known: [inUse("g1")] },
      { requests: [aDeviceRequest("r", { allocationMode: "All", count: 0 })] },
    ],
    [
      "not all devices if no device matches",
      "does not fit",
      three,
      { requests: [aDeviceRequest("r", { allocationMode: "All", count: 0, selectors: selecting("model=x") })] },
    ],
    [
      "devices that the pod's other claims do not use",
      [["r: g0"], ["r: g1"], ["r: g2"]],
      three,
      oneDevice,
      oneDevice,
      oneDevice,
    ],
    [
      "no device that a later claim needs",
      [["r: g1"], ["r: g0"]],
      three,
      oneDevice,
      { requests: [aDeviceRequest("r", { selectors: selecting("numa=0") })] },
    ],
    [
      "no device that a later request needs",
      [["any: g1", "old: g2", "first: g0"]],
      three,
      {
        requests: [
          aDeviceRequest("any"),
          aDeviceRequest("old", { deviceClassName: "old" }),
          aDeviceRequest("first", { selectors: selecting("numa=0") }),
        ],
      },
    ],
    [
      "devices with the same attribute",
      [["r: g1", "r: g2"]],
      three,
      { requests: [aDeviceRequest("r", { count: 2 })], constraints: match("numa") },
    ],
    [
      "devices with the attribute under its own domain",
      "does not fit",
      three,
      { requests: [aDeviceRequest("r")], constraints: [{ matchAttribute: "other.example.com/numa" }] },
    ],
    [
      "devices with different attributes",
      [["r: g0", "r: g1"]],
      three,
      { requests: [aDeviceRequest("r", { count: 2 })], constraints: [{ distinctAttribute: `${testDriver}/numa` }] },
    ],
    [
      "no three devices that share two values",
      "does not fit",
      three,
      { requests: [aDeviceRequest("r", { count: 3 })], constraints: [{ distinctAttribute: `${testDriver}/numa` }] },
    ],
    [
      "constraints apply only to the requests that they name",
      [["a: g0", "b: g1"]],
      three,
      {
        requests: [aDeviceRequest("a"), aDeviceRequest("b")],
        constraints: [{ requests: ["a"], matchAttribute: `${testDriver}/numa` }],
      },
    ],
    [
      "the first available alternative",
      [["r/new: g0"]],
      three,
      { requests: [alternatives("r", "model=new", "model=old")] },
    ],
    [
      "the next alternative if it is necessary",
      [["r/new: g2"]],
      { ...three, known: [inUse("g0"), inUse("g1")] },
      { requests: [alternatives("r", "model=old", "model=new")] },
    ],
    [
      "another alternative if a later request needs the first",
      [["r/other: g2", "x: g0"]],
      here(g0, g2),
      {
        requests: [
          alternatives("r", "model=new", "model=old"),
          aDeviceRequest("x", { selectors: selecting("model=new") }),
        ],
      },
    ],
    ["devices of all nodes", [["r: g0"]], sharing({ allNodes: true }), oneDevice],
    ["devices of selected nodes", [["r: g0"]], sharing({ nodeSelector: zone("z1") }), oneDevice],
    ["no devices of other nodes", "does not fit", sharing({ nodeSelector: zone("z2") }), oneDevice],
    ["no devices on another node", "does not fit", sharing({ nodeName: "b" }), oneDevice],
    [
      "devices that select their nodes individually",
      [["r: g1"]],
      sharing({
        perDeviceNodeSelection: true,
        devices: [
          { ...g0, nodeName: "b" },
          { ...g1, nodeSelector: zone("z1") },
        ],
      }),
      oneDevice,
    ],
    ["no devices of a pool with missing slices", "does not fit", sharing({ nodeName: "a" }, { count: 2 }), oneDevice],
    ["no devices of a pool with a duplicate name", "does not fit", here(g0, g0), oneDevice],
    [
      "no devices with conditions for binding",
      "does not fit",
      here({ ...g0, bindingConditions: ["ready"], bindingFailureConditions: ["x"] }),
      oneDevice,
    ],
    ["no devices with a taint", [["r: g1"]], here({ ...g0, taints: [taint("NoSchedule")] }, g1), oneDevice],
    ["devices with a taint without an effect", [["r: g0"]], here({ ...g0, taints: [taint("None")] }), oneDevice],
    [
      "devices with a taint that it tolerates",
      [["r: g0"]],
      here({ ...g0, taints: [taint("NoExecute")] }),
      { requests: [aDeviceRequest("r", { tolerations: [{ key: "bad", operator: "Exists" }] })] },
    ],
    [
      "not all devices if one has a taint",
      "does not fit",
      here({ ...g0, taints: [taint("NoSchedule")] }, g1),
      { requests: [aDeviceRequest("r", { allocationMode: "All", count: 0 })] },
    ],
    [
      "at most 32 devices",
      "claim default/c0: number of requested devices 33 exceeds the claim limit of 32",
      three,
      { requests: [aDeviceRequest("r", { count: 33 })] },
    ],
    [
      "a fault of a selector",
      `claim default/c0: selector #0 on device ${testDriver}/a/g0: no such key`,
      three,
      { requests: [aDeviceRequest("r", { selectors: selecting("fault") })] },
    ],
    [
      "a fault of an expression",
      `claim default/c0: selector #0 on device ${testDriver}/a/g0: CEL compile error: no expression`,
      three,
      { requests: [aDeviceRequest("r", { selectors: selecting("uncompilable") })] },
    ],
    [
      "a class that is missing",
      "claim default/c0, request r: could not retrieve device class none",
      three,
      { requests: [aDeviceRequest("r", { deviceClassName: "none" })] },
    ],
    [
      "all devices of an unfinished pool",
      `claim default/c0, request r: asks for all devices, but resource pool ${testDriver}/pool is currently being updated`,
      sharing({ nodeName: "a" }, { count: 2 }),
      { requests: [aDeviceRequest("r", { allocationMode: "All", count: 0 })] },
    ],
    ["nothing for a claim without requests", [[]], three, {}],
  ])("%s", (_name, expected, world, ...claims) => {
    expect(devicesFor(world, ...claims)).toEqual(expected);
  });

  test("an older generation of a pool is ignored", () => {
    const old = aSlice({ name: "old", nodeName: "a", devices: [g0], generation: 1 });
    const next = aSlice({ name: "new", nodeName: "a", devices: [g1], generation: 2 });
    expect(devicesFor({ slices: [old, next] }, oneDevice)).toEqual([["r: g1"]]);
    expect(devicesFor({ slices: [old, { ...next, spec: { ...next.spec, nodeName: "b" } }] }, oneDevice)).toBe(
      "does not fit",
    );
  });
});

describe("the allocation of a claim", () => {
  const opaque = (name: string) => ({ opaque: { driver: testDriver, parameters: { name } } });
  const devices = [aDevice("g0", { model: "old" }), aDevice("g1", { model: "old" })];

  test("has the configuration of its classes once each, and its own configuration for the allocated requests", () => {
    const claim: DeviceClaim = {
      requests: [
        aDeviceRequest("a", { deviceClassName: "old" }),
        aDeviceRequest("b"),
        alternatives("c", "model=x", "true"),
      ],
      config: [
        opaque("all"),
        { requests: ["b"], ...opaque("b") },
        { requests: ["c/new"], ...opaque("not taken") },
        { requests: ["c/other"], ...opaque("taken") },
      ],
    };
    const outcome = allocateOn(here(...devices, aDevice("g2")), claim);
    const [allocation] = outcome.is === "allocated" ? outcome.allocations : [];
    expect(allocation?.devices?.config).toEqual([
      { source: "FromClass", requests: ["a"], opaque: { driver: testDriver, parameters: { old: true } } },
      { source: "FromClaim", ...opaque("all") },
      { source: "FromClaim", requests: ["b"], ...opaque("b") },
      { source: "FromClaim", requests: ["c/other"], ...opaque("taken") },
    ]);
  });

  test("is for its node, for nodes that it selects, or for all nodes", () => {
    const selectorOf = (spec: Partial<ResourceSlice["spec"]>, more: Partial<Device> = {}) => {
      const outcome = allocateOn({ slices: [aSlice({ devices: [aDevice("g", {}, more)], spec })] }, oneDevice);
      return outcome.is === "allocated" ? outcome.allocations[0]?.nodeSelector : outcome;
    };
    const onNode = {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }],
    };
    expect(selectorOf({ nodeName: "a" })).toEqual(onNode);
    expect(selectorOf({ nodeSelector: zone("z1") })).toEqual(zone("z1"));
    expect(selectorOf({ allNodes: true })).toBeUndefined();
    expect(selectorOf({ allNodes: true }, { bindsToNode: true })).toEqual(onNode);
  });
});

function taint(effect: string) {
  return { key: "bad", effect };
}
