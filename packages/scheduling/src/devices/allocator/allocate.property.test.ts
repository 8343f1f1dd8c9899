import type { Device, DeviceClaim, ResourceClaim, ResourceSlice } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aDevice,
  aDeviceClaim,
  aDeviceClass,
  aSlice,
  selecting,
  testDriver,
  testSelectors,
} from "../../testing/devices.ts";
import { Devices } from "../devices.ts";
import { type AllocationOutcome, allocateDevices } from "./allocate.ts";
import { deviceId } from "@kintsugi/rules";
import { newAllocationBudget } from "./world.ts";

// Random clusters in which pods with random claims are added and removed, so that some claims are
// allocated. An allocation has to satisfy the rules, which this test implements again as a check of
// a whole allocation. If the allocator finds no allocation, a second search, which tries every
// choice of devices and checks it only when it is complete, must not find one either.

const nodes = ["a", "b"].map((name, index) => ({ name, labels: { zone: `z${index}` } }));

type Request = NonNullable<DeviceClaim["requests"]>[number];
type Wanted = NonNullable<Request["firstAvailable"]>[number];

type Draw = fc.GeneratorValue;

class Drawn {
  readonly slices: ResourceSlice[];
  readonly #draw: Draw;

  constructor(draw: Draw) {
    this.#draw = draw;
    this.slices = nodes.flatMap(({ name }) => this.#poolOf(name));
    if (this.#often(0.3)) this.slices.push(this.#sharedPool());
  }

  claim(): DeviceClaim {
    const count = 1 + this.below(2);
    const requests = Array.from({ length: count }, (_, index) => this.#request(`r${index}`));
    const attribute = `${testDriver}/${this.#one(["numa", "model"])}`;
    const names = this.#often(0.3) ? { requests: ["r0"] } : {};
    return {
      requests,
      ...(this.#often(0.3) ? { constraints: [{ ...names, matchAttribute: attribute }] } : {}),
      ...(this.#often(0.15) ? { constraints: [{ ...names, distinctAttribute: attribute }] } : {}),
    };
  }

  #poolOf(nodeName: string): ResourceSlice[] {
    const devices = Array.from({ length: 1 + this.below(4) }, (_, index) => this.#device(`g${index}`));
    const hasCounters = devices.some(({ consumesCounters }) => consumesCounters !== undefined);
    const count = hasCounters ? 2 : 1;
    const counters = { memory: { value: `${1 + this.below(4)}` } };
    return [
      aSlice({ nodeName, count, devices }),
      ...(hasCounters
        ? [
            aSlice({
              name: `${nodeName}-counters`,
              pool: nodeName,
              nodeName,
              count,
              spec: { sharedCounters: [{ name: "s", counters }] },
            }),
          ]
        : []),
    ];
  }

  #sharedPool(): ResourceSlice {
    const devices = ["n0", "n1"].map((name) => ({
      ...this.#device(name, false),
      ...this.#one<Partial<Device>>([
        { allNodes: true },
        { nodeName: "a" },
        {
          nodeSelector: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["z1"] }] }],
          },
        },
      ]),
    }));
    return aSlice({ pool: "net", devices, spec: { perDeviceNodeSelection: true } });
  }

  #device(name: string, mayCount = true): Device {
    const attributes = { model: this.#one(["x", "y"]), ...(this.#often(0.9) ? { numa: this.#one(["0", "1"]) } : {}) };
    return aDevice(name, attributes, {
      ...(this.#often(0.2) ? { taints: [{ key: "bad", effect: "NoSchedule" }] } : {}),
      ...(mayCount && this.#often(0.3)
        ? { consumesCounters: [{ counterSet: "s", counters: { memory: { value: `${1 + this.below(2)}` } } }] }
        : {}),
      ...(this.#often(0.2) ? { allowMultipleAllocations: true, capacity: { size: { value: "4" } } } : {}),
    });
  }

  #request(name: string): Request {
    const isAll = this.#often(0.1);
    const wanted = (): Omit<Wanted, "name"> => ({
      deviceClassName: this.#one(["gpu", "x"]),
      allocationMode: isAll ? "All" : "ExactCount",
      ...(isAll ? {} : { count: 1 + this.below(2) }),
      ...(this.#often(0.4) ? { selectors: selecting(this.#one(["model=x", "model=y", "numa=0"])) } : {}),
      ...(this.#often(0.2) ? { tolerations: [{ operator: "Exists" as const }] } : {}),
      ...(this.#often(0.2) ? { capacity: { requests: { size: `${1 + this.below(4)}` } } } : {}),
    });
    if (this.#often(0.2))
      return {
        name,
        firstAvailable: [
          { name: "s0", ...wanted() },
          { name: "s1", ...wanted() },
        ],
      };
    return { name, exactly: { ...wanted(), ...(this.#often(0.1) ? { adminAccess: true } : {}) } };
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return this.#draw(fc.nat, { max: end - 1 });
  }

  #often(share: number): boolean {
    return this.below(100) < share * 100;
  }

  #one<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}

/** A device that is or would be allocated to a claim. */
interface Given {
  readonly claim: ResourceClaim;
  readonly request: Request;
  readonly wanted: Omit<Wanted, "name"> & { adminAccess?: boolean | undefined };
  readonly alternative: number;
  readonly pool: string;
  readonly device: Device;
}

/** Every rule that the devices of all claims together violate. */
function broken(all: readonly Given[], drawn: Drawn, node: (typeof nodes)[number]): string[] {
  const faults: string[] = [];
  const exclusive = new Set<string>();
  const shared = new Map<string, number>();
  const counted = new Map<string, bigint>();
  const countersSeen = new Set<string>();
  for (const { wanted, pool, device } of all) {
    if (wanted.adminAccess === true) continue;
    const id = `${pool}/${device.name}`;
    if (device.allowMultipleAllocations === true) {
      const asked = Number(wanted.capacity?.requests?.["size"] ?? "4");
      shared.set(id, (shared.get(id) ?? 0) + asked);
      if ((shared.get(id) ?? 0) > 4) faults.push(`${id} is given away beyond its capacity`);
    } else if (exclusive.has(id)) faults.push(`${id} is given twice`);
    exclusive.add(id);
    if (countersSeen.has(id)) continue;
    countersSeen.add(id);
    for (const { counters } of device.consumesCounters ?? []) {
      for (const { value } of Object.values(counters)) counted.set(pool, (counted.get(pool) ?? 0n) + BigInt(value));
    }
  }
  for (const [pool, used] of counted) {
    const sets = drawn.slices
      .filter(({ spec }) => spec.pool.name === pool)
      .flatMap(({ spec }) => spec.sharedCounters ?? []);
    const has = BigInt(sets[0]?.counters["memory"]?.value ?? "0");
    if (used > has) faults.push(`the devices of ${pool} take ${used} of ${has}`);
  }
  for (const claim of new Set(all.map((given) => given.claim))) {
    const given = all.filter((each) => each.claim === claim);
    faults.push(...brokenInClaim(claim, given, { drawn, node }));
  }
  return faults;
}

function brokenInClaim(
  { spec }: ResourceClaim,
  given: readonly Given[],
  { drawn, node }: { drawn: Drawn; node: (typeof nodes)[number] },
): string[] {
  // Earlier claims satisfied the rules when they were added.
  if (spec.devices?.requests === undefined) return [];
  const faults: string[] = [];
  const admins = given
    .filter(({ wanted }) => wanted.adminAccess === true)
    .map(({ pool, device }) => `${pool}/${device.name}`);
  if (new Set(admins).size < admins.length) faults.push("a device is administered twice by one claim");
  for (const request of spec.devices?.requests ?? []) {
    const own = given.filter((each) => each.request === request);
    const [first] = own;
    if (first === undefined) {
      faults.push(`${request.name} has no device`);
      continue;
    }
    const { wanted } = first;
    const matching = reachable(drawn, node).filter(({ device }) => isSelected(device, wanted));
    const count = wanted.allocationMode === "All" ? matching.length : wanted.count;
    if (own.length !== count) faults.push(`${request.name} has ${own.length} devices instead of ${count}`);
    if (new Set(own.map(({ pool, device }) => `${pool}/${device.name}`)).size < own.length)
      faults.push("a request has one device twice");
    for (const { pool, device } of own) {
      if (!matching.some((each) => each.device === device && each.pool === pool))
        faults.push(`${pool}/${device.name} does not match`);
      if ((device.taints ?? []).length > 0 && wanted.tolerations === undefined)
        faults.push(`${device.name} has a taint`);
    }
  }
  for (const { requests, matchAttribute, distinctAttribute } of spec.devices?.constraints ?? []) {
    const name = (matchAttribute ?? distinctAttribute ?? "").split("/")[1] ?? "";
    const values = given
      .filter(({ request }) => requests === undefined || requests.includes(request.name))
      .map(({ device }) => device.attributes?.[name]?.string);
    if (values.includes(undefined)) faults.push(`a device lacks ${name}`);
    if (matchAttribute !== undefined && new Set(values).size > 1) faults.push(`devices differ in ${name}`);
    if (distinctAttribute !== undefined && new Set(values).size < values.length)
      faults.push(`devices agree in ${name}`);
  }
  return faults;
}

function isSelected(device: Device, wanted: Given["wanted"]): boolean {
  const expressions = (wanted.selectors ?? []).map(({ cel }) => cel?.expression ?? "");
  const matches = [...expressions, ...(wanted.deviceClassName === "x" ? ["model=x"] : [])].every((expression) => {
    const [key = "", value] = expression.split("=");
    return device.attributes?.[key]?.string === value;
  });
  if (!matches) return false;
  const asked = wanted.capacity?.requests?.["size"];
  return asked === undefined || (device.capacity?.["size"] !== undefined && Number(asked) <= 4);
}

function reachable(drawn: Drawn, node: (typeof nodes)[number]): { pool: string; device: Device }[] {
  return drawn.slices.flatMap(({ spec }) =>
    (spec.devices ?? []).flatMap((device) => {
      const { nodeName, nodeSelector, allNodes } = spec.perDeviceNodeSelection === true ? device : spec;
      const selected = nodeSelector?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values?.includes(node.labels.zone);
      const isThere = nodeName === node.name || allNodes === true || selected === true;
      return isThere ? [{ pool: spec.pool.name, device }] : [];
    }),
  );
}

/** The devices that are allocated to the claim, as the check sees them. */
function givenBy(
  claim: ResourceClaim,
  outcome: Pick<NonNullable<ResourceClaim["status"]>, "allocation">,
  drawn: Drawn,
): Given[] {
  return (outcome.allocation?.devices?.results ?? []).map(({ request: name, pool, device: deviceName }) => {
    const [base = "", alternative] = name.split("/");
    const request = claim.spec.devices?.requests?.find((each) => each.name === base) as Request;
    const index = (request.firstAvailable ?? []).findIndex((each) => each.name === alternative);
    const wanted = request.exactly ?? (request.firstAvailable?.[index] as Wanted);
    const slices = drawn.slices.filter(({ spec }) => spec.pool.name === pool);
    const device = slices.flatMap(({ spec }) => spec.devices ?? []).find((each) => each.name === deviceName) as Device;
    return { claim, request, wanted, alternative: index, pool, device };
  });
}

/** Tries every choice of devices for the claim, and judges each as a whole. */
function existsFor(
  claim: ResourceClaim,
  before: readonly Given[],
  world: { drawn: Drawn; node: (typeof nodes)[number] },
): boolean {
  const { drawn, node } = world;
  const devices = reachable(drawn, node);
  const requests = claim.spec.devices?.requests ?? [];
  const choose = (index: number, chosen: readonly Given[]): boolean => {
    const request = requests[index];
    if (request === undefined) return broken([...before, ...chosen], drawn, node).length === 0;
    const alternatives = request.exactly === undefined ? (request.firstAvailable ?? []) : [request.exactly];
    return alternatives.some((wanted, alternative) => {
      const matching = devices.filter(({ device }) => isSelected(device, wanted));
      const count = wanted.allocationMode === "All" ? matching.length : (wanted.count ?? 1);
      if (count === 0) return false;
      return subsets(matching, count).some((set) =>
        choose(index + 1, [...chosen, ...set.map((each) => ({ ...each, claim, request, wanted, alternative }))]),
      );
    });
  };
  return choose(0, []);
}

function subsets<T>(from: readonly T[], count: number): T[][] {
  if (count === 0) return [[]];
  return from.flatMap((first, index) => subsets(from.slice(index + 1), count - 1).map((rest) => [first, ...rest]));
}

/**
 * Claims are added one after the other, on a random node, and some are removed. Returns how many
 * got devices, and how many did not.
 */
function live(draw: Draw): { allocated: number; refused: number } {
  const drawn = new Drawn(draw);
  const devices = new Devices(testSelectors);
  devices.putClass(aDeviceClass("gpu", "true"));
  devices.putClass(aDeviceClass("x", "model=x"));
  for (const slice of drawn.slices) devices.putSlice(slice);
  const counts = { allocated: 0, refused: 0 };
  let present: { claim: ResourceClaim; given: Given[] }[] = [];
  for (let turn = 0; turn < 8; turn++) {
    const node = nodes[drawn.below(nodes.length)] as (typeof nodes)[number];
    const claim = aDeviceClaim(`c${turn}`, drawn.claim());
    const others = present.flatMap(({ given }) => given);
    const outcome: AllocationOutcome = allocateDevices(
      [claim],
      {
        node,
        pools: devices.poolsFor(node),
        inUse: devices.inUse,
        selectors: devices.selectors,
        findClass: (name) => devices.findClass(name),
      },
      newAllocationBudget(),
    );
    const faults: string[] = outcome.is === "fault" ? [outcome.because] : [];
    if (outcome.is === "allocated") {
      const status = { allocation: outcome.allocations[0] };
      const given = givenBy(claim, status, drawn);
      faults.push(...brokenTogether([...others, ...given], drawn), ...brokenInClaim(claim, given, { drawn, node }));
      devices.putClaim({ ...claim, status });
      present.push({ claim: { ...claim, status }, given });
      counts.allocated++;
    } else {
      if (existsAmong(claim, others, { drawn, node })) faults.push("devices fit");
      counts.refused++;
    }
    if (drawn.below(10) < 3 && present.length > 0) {
      const gone = present[drawn.below(present.length)];
      if (gone !== undefined) devices.removeClaim(gone.claim);
      present = present.filter((each) => each !== gone);
    }
    for (const { given } of present) {
      for (const { pool, device, wanted } of given) {
        const id = deviceId({ driver: testDriver, pool, device: device.name });
        if (wanted.adminAccess !== true && !devices.inUse.has(id)) faults.push(`${id} is not in use`);
      }
    }
    expect(faults, `turn ${turn}`).toEqual([]);
  }
  return counts;
}

/** The rules about all claims together, whatever nodes they are on. */
function brokenTogether(all: readonly Given[], drawn: Drawn): string[] {
  const anonymous = aDeviceClaim("all", {});
  return broken(
    all.map((given) => ({ ...given, claim: anonymous })),
    drawn,
    nodes[0] as (typeof nodes)[number],
  ).filter((fault) => !fault.includes("administered"));
}

function existsAmong(
  claim: ResourceClaim,
  others: readonly Given[],
  world: { drawn: Drawn; node: (typeof nodes)[number] },
): boolean {
  const anonymous = aDeviceClaim("others", {});
  return existsFor(
    claim,
    others.map((given) => ({ ...given, claim: anonymous })),
    world,
  );
}

describe("in drawn clusters", () => {
  test("allocations follow the rules, and a failed allocation was impossible", { timeout: 120_000 }, () => {
    let [allocated, refused] = [0, 0];
    const holds = fc.property(fc.gen(), (draw) => {
      const counts = live(draw);
      allocated += counts.allocated;
      refused += counts.refused;
    });
    fc.assert(holds, { numRuns: 400 });
    // Cases in which nothing fits, or everything fits, would test nothing.
    expect(allocated).toBeGreaterThan(500);
    expect(refused).toBeGreaterThan(500);
  });
});
