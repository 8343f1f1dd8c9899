import type { Device, DeviceClaim, ResourceClaim } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import {
  allocateOn,
  allocateWith,
  devicesFor,
  type DeviceWorld,
  here,
  inUse,
  oneDevice,
} from "../../testing/device-worlds.ts";
import { aDevice, aDeviceRequest, aSlice, selecting, testDriver } from "../../testing/devices.ts";
import { tooLong } from "./allocate.ts";
import { newAllocationBudget } from "./world.ts";

describe("devices that consume counters", () => {
  const using = (name: string, memory: string): Device =>
    aDevice(name, {}, { consumesCounters: [{ counterSet: "gpu", counters: { memory: { value: memory } } }] });
  const counters = aSlice({
    name: "counters",
    nodeName: "a",
    count: 2,
    spec: { sharedCounters: [{ name: "gpu", counters: { memory: { value: "40Gi" } } }], devices: [] },
  });
  const pool = (...devices: Device[]): DeviceWorld => ({
    slices: [aSlice({ nodeName: "a", count: 2, devices }), counters],
  });
  const parts = pool(using("whole", "40Gi"), using("half-0", "20Gi"), using("half-1", "20Gi"));

  test.each<[string, string[][] | string, DeviceWorld, ...DeviceClaim[]]>([
    [
      "are allocated until the counter is used up",
      [["r: half-0", "r: half-1"]],
      parts,
      { requests: [aDeviceRequest("r", { count: 2 })] },
    ],
    ["are never more than the counter has", "does not fit", parts, { requests: [aDeviceRequest("r", { count: 3 })] }],
    ["leave capacity for others", "does not fit", { ...parts, known: [inUse("whole")] }, oneDevice],
    ["count if they are in use", [["r: half-1"]], { ...parts, known: [inUse("half-0")] }, oneDevice],
    [
      "are free for administration",
      [["r: whole"]],
      { ...parts, known: [inUse("half-0")] },
      { requests: [aDeviceRequest("r", { adminAccess: true })] },
    ],
    [
      "invalidate a pool that lacks the counter",
      "does not fit",
      { slices: [aSlice({ nodeName: "a", devices: [using("x", "1Gi")] })] },
      oneDevice,
    ],
  ])("%s", (_name, expected, world, ...claims) => {
    expect(devicesFor(world, ...claims)).toEqual(expected);
  });
});

describe("devices that are shared", () => {
  const shared = (policy?: object): Device =>
    aDevice("net", {}, {
      allowMultipleAllocations: true,
      capacity: { bandwidth: { value: "10", ...(policy === undefined ? {} : { requestPolicy: policy }) } },
    } as Partial<Device>);
  const asks = (bandwidth: string): DeviceClaim => ({
    requests: [aDeviceRequest("r", { capacity: { requests: { bandwidth } } })],
  });
  const share = (bandwidth: string): ResourceClaim => inUse("net", { shareID: "s", consumedCapacity: { bandwidth } });

  test.each<[string, string[][] | string, DeviceWorld, ...DeviceClaim[]]>([
    ["are shared by several claims", [["r: net"], ["r: net"]], here(shared()), asks("4"), asks("6")],
    ["have no more than their capacity", "does not fit", here(shared()), asks("4"), asks("7")],
    ["count the used capacity", "does not fit", { ...here(shared()), known: [share("5")] }, asks("6")],
    ["are allocated as a whole by default", "does not fit", { ...here(shared()), known: [share("1")] }, oneDevice],
    [
      "are allocated by the policy's default",
      [["r: net"]],
      { ...here(shared({ default: "2" })), known: [share("8")] },
      oneDevice,
    ],
    [
      "use the next share of the policy",
      "does not fit",
      { ...here(shared({ default: "1", validValues: ["1", "8"] })), known: [share("3")] },
      asks("2"),
    ],
    [
      "use steps of the policy's range",
      [["r: net"]],
      { ...here(shared({ default: "1", validRange: { min: "1", step: "3" } })), known: [share("6")] },
      asks("2"),
    ],
    [
      "use no more than the range's end",
      "does not fit",
      here(shared({ default: "1", validRange: { min: "1", max: "4" } })),
      asks("5"),
    ],
    [
      "must have the capacity",
      "does not fit",
      here(shared()),
      { requests: [aDeviceRequest("r", { capacity: { requests: { memory: "1" } } })] },
    ],
    [
      "use the request in other cases",
      [["r: big"]],
      here(
        aDevice("small", {}, { capacity: { bandwidth: { value: "1" } } }),
        aDevice("big", {}, { capacity: { bandwidth: { value: "9" } } }),
      ),
      asks("5"),
    ],
  ])("%s", (_name, expected, world, ...claims) => {
    expect(devicesFor(world, ...claims)).toEqual(expected);
  });

  test("have an identifier and the share in the result", () => {
    const outcome = allocateOn(here(shared()), asks("4"));
    const [first] = outcome.is === "allocated" ? outcome.allocations : [];
    expect(first?.devices?.results).toEqual([
      {
        request: "r",
        driver: testDriver,
        pool: "a",
        device: "net",
        shareID: "uid-c1",
        consumedCapacity: { bandwidth: "4" },
      },
    ]);
  });
});

describe("a search without a solution", () => {
  const many = (count: number, numa: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => aDevice(`g${index}`, { numa: numa(index), own: `${index}` }));

  test("is not started if there are too few devices, however many orders exist", () => {
    const requests = Array.from({ length: 16 }, (_, index) => aDeviceRequest(`r${index}`));
    const budget = newAllocationBudget();
    const outcome = allocateWith(budget, here(...many(15, () => "0")), [{ requests }]);
    expect([outcome.is, budget.stepsLeft]).toEqual(["does not fit", newAllocationBudget().stepsLeft]);
  });

  test("ends after a number of steps, with a reason", () => {
    const requests = Array.from({ length: 14 }, (_, index) => aDeviceRequest(`r${index}`));
    const constraints = [{ distinctAttribute: `${testDriver}/numa` }];
    expect(devicesFor(here(...many(28, (index) => `${index % 13}`)), { requests, constraints })).toBe(tooLong);
  });

  test("ends if selectors cost too much together", () => {
    const claim = { requests: [aDeviceRequest("r", { selectors: selecting("costly") })] };
    expect(devicesFor(here(...many(20, () => "0")), claim)).toMatch(/cost too much together/);
  });
});
