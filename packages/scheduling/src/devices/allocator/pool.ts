import {
  compareText,
  type Device,
  type NodeSelector,
  nodeTermMatches,
  parseQuantity,
  type ResourceSlice,
} from "@kintsugi/api";
import { deviceId } from "@kintsugi/rules";

/** The properties of a node by which devices select nodes. */
export interface DeviceNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** An amount that a device consumes from one counter of its pool. */
interface CounterUse {
  /** "set/counter": both are DNS labels. */
  readonly counter: string;
  readonly nanos: bigint;
}

/** The nodes from which a device can be reached. */
type Reach =
  | { readonly on: "node"; readonly nodeName: string }
  | { readonly on: "selected"; readonly selector: NodeSelector }
  | { readonly on: "all" };

/** A device of the newest generation of its pool. */
export interface PooledDevice {
  /** See `deviceId`. */
  readonly id: string;
  readonly device: Device;
  readonly pool: Pool;
  readonly reach: Reach;
  readonly uses: readonly CounterUse[];
  /** Several requests may use the device, and share its capacity. */
  readonly isShareable: boolean;
}

/** The slices of one pool in its newest generation. */
export interface Pool {
  readonly driver: string;
  readonly name: string;
  /**
   * Devices of an incomplete pool, some of whose slices are missing, are not allocated. Neither are
   * devices of an invalid pool, which contradicts itself.
   */
  readonly state: "complete" | "incomplete" | "invalid";
  /** The devices in the order of the slices' names, and within a slice in the slice's order. */
  readonly devices: readonly PooledDevice[];
  /** The amounts by "set/counter". */
  readonly counters: ReadonlyMap<string, bigint>;
}

/** A pool, and the devices that a node reaches. */
export interface ReachablePool {
  readonly pool: Pool;
  readonly devices: readonly PooledDevice[];
}

/** Builds a pool of all slices that name the pool. Returns undefined if no slice names the pool. */
export function poolOf(slices: readonly ResourceSlice[]): Pool | undefined {
  const [first] = slices;
  if (first === undefined) return undefined;
  const generation = slices.reduce((newest, { spec }) => Math.max(newest, spec.pool.generation), 0);
  const newest = slices
    .filter(({ spec }) => spec.pool.generation === generation)
    .toSorted((a, b) => compareText(a.metadata.name ?? "", b.metadata.name ?? ""));
  const counters = new Map<string, bigint>();
  for (const { spec } of newest) {
    for (const { name, counters: amounts } of spec.sharedCounters ?? []) {
      for (const [counter, { value }] of Object.entries(amounts)) counters.set(`${name}/${counter}`, nanosOf(value));
    }
  }
  const devices: PooledDevice[] = [];
  const names = new Set<string>();
  const pool = { driver: first.spec.driver, name: first.spec.pool.name, devices, counters };
  const isComplete = newest.every(({ spec }) => spec.pool.resourceSliceCount === newest.length);
  let isValid = true;
  const made: Pool = {
    ...pool,
    get state() {
      return isValid ? (isComplete ? "complete" : "incomplete") : "invalid";
    },
  };
  for (const slice of newest) {
    for (const device of slice.spec.devices ?? []) {
      const pooled = pooledDevice(device, slice, made);
      // A device with an unknown kind of node selection is skipped.
      if (pooled === undefined) continue;
      if (names.has(device.name)) isValid = false;
      if (isComplete && pooled.uses.some(({ counter }) => !counters.has(counter))) isValid = false;
      names.add(device.name);
      devices.push(pooled);
    }
  }
  return made;
}

function pooledDevice(device: Device, { spec }: ResourceSlice, pool: Pool): PooledDevice | undefined {
  const reach = reachOf(spec.perDeviceNodeSelection === true ? device : spec);
  if (reach === undefined) return undefined;
  const uses = (device.consumesCounters ?? []).flatMap(({ counterSet, counters }) =>
    Object.entries(counters).map(([name, { value }]) => ({ counter: `${counterSet}/${name}`, nanos: nanosOf(value) })),
  );
  const id = deviceId({ driver: spec.driver, pool: spec.pool.name, device: device.name });
  return { id, device, pool, reach, uses, isShareable: device.allowMultipleAllocations === true };
}

function reachOf({
  nodeName = "",
  nodeSelector,
  allNodes,
}: Pick<Device, "nodeName" | "nodeSelector" | "allNodes">): Reach | undefined {
  if (nodeName !== "") return { on: "node", nodeName };
  if (allNodes === true) return { on: "all" };
  return nodeSelector === undefined ? undefined : { on: "selected", selector: nodeSelector };
}

export function isReachable({ reach }: PooledDevice, node: DeviceNode): boolean {
  switch (reach.on) {
    case "node":
      return reach.nodeName === node.name;
    case "all":
      return true;
    case "selected":
      return selectorMatches(reach.selector, node);
  }
}

export function selectorMatches({ nodeSelectorTerms }: NodeSelector, node: DeviceNode): boolean {
  return nodeSelectorTerms.some((term) => nodeTermMatches(term, node));
}

export function nanosOf(quantity: string): bigint {
  return parseQuantity(quantity).nanos;
}
