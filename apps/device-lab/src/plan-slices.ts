import { apiVersionOf, type DeviceTaint, type Node, type ResourceSlice, resourceSlices, sameJson } from "@kintsugi/api";

export interface LabDevices {
  readonly driverName: string;
  readonly nodeName: string;
  readonly count: number;
  /** The attribute `model`. */
  readonly model: string;
  /** The capacity `memory`, a quantity. */
  readonly memory: string;
}

/** The key of the taint with which the driver keeps pods from a broken device. */
const brokenTaintKey = "device.lab.kintsugi.dev/broken";

/** The API's limit for one slice. */
const devicesPerSlice = 128;
/** Limit on devices, above the number of a machine: a hundred claims of 32 devices each. */
export const devicesMax = 1024;

const deviceName = (index: number): string => `device-${index}`;

/** Returns the index of a device of the lab; undefined for another name. */
export function indexOfDevice(name: string, { count }: Pick<LabDevices, "count">): number | undefined {
  const index = Number(/^device-(\d{1,5})$/.exec(name)?.[1] ?? Number.NaN);
  return Number.isInteger(index) && index < count && deviceName(index) === name ? index : undefined;
}

export interface DeviceSlicePlan {
  readonly create: readonly ResourceSlice[];
  readonly update: readonly ResourceSlice[];
  readonly remove: readonly ResourceSlice[];
}

/**
 * The writes that make the driver's slices of the node match its devices. A pool that changes gets
 * a new generation, so that readers do not mix old slices with new slices.
 * @param broken names of devices that pods must not use: these are tainted
 */
export function planSlices(
  lab: LabDevices,
  { present, owner, broken = [] }: { present: readonly ResourceSlice[]; owner: Node; broken?: readonly string[] },
): DeviceSlicePlan {
  const devices = { ...lab, taintsOf: taintsLike(present, new Set(broken)) };
  const generation = Math.max(0, ...present.map(({ spec }) => spec.pool.generation));
  const wanted = slicesOf(devices, owner, generation);
  const byName = new Map(present.map((slice) => [slice.metadata.name, slice]));
  const isWhole =
    wanted.length === present.length &&
    wanted.every((slice) => {
      const found = byName.get(slice.metadata.name);
      return found !== undefined && sameJson(partsOf(found), partsOf(slice));
    });
  if (isWhole) return { create: [], update: [], remove: [] };
  const next = slicesOf(devices, owner, generation + 1);
  const names = new Set(next.map(({ metadata }) => metadata.name));
  return {
    create: next.filter(({ metadata }) => !byName.has(metadata.name)),
    update: next.flatMap((slice) => {
      const found = byName.get(slice.metadata.name);
      return found === undefined ? [] : [{ ...found, spec: slice.spec }];
    }),
    remove: present.filter(({ metadata }) => !names.has(metadata.name)),
  };
}

interface TaintedDevices extends LabDevices {
  readonly taintsOf: (name: string) => readonly DeviceTaint[];
}

/** An existing taint is unchanged, because the API has recorded the time at which it was added. */
function taintsLike(present: readonly ResourceSlice[], broken: ReadonlySet<string>) {
  const known = new Map(
    present.flatMap(({ spec }) => (spec.devices ?? []).map(({ name, taints = [] }) => [name, taints] as const)),
  );
  return (name: string): readonly DeviceTaint[] => {
    if (!broken.has(name)) return [];
    const found = known.get(name)?.find(({ key }) => key === brokenTaintKey);
    return [found ?? { key: brokenTaintKey, effect: "NoExecute" }];
  };
}

function slicesOf(devices: TaintedDevices, { metadata }: Node, generation: number): ResourceSlice[] {
  const { driverName, nodeName, count } = devices;
  const resourceSliceCount = Math.max(1, Math.ceil(count / devicesPerSlice));
  return Array.from({ length: resourceSliceCount }, (_, part) => ({
    apiVersion: apiVersionOf(resourceSlices),
    kind: resourceSlices.kind,
    metadata: {
      name: `${nodeName}-${driverName}-${part}`,
      // The garbage collector deletes the slices of a node that is removed.
      ownerReferences: [
        { apiVersion: "v1", kind: "Node", name: metadata.name ?? "", uid: metadata.uid ?? "", controller: true },
      ],
    },
    spec: {
      driver: driverName,
      nodeName,
      pool: { name: nodeName, generation, resourceSliceCount },
      devices: Array.from({ length: Math.min(devicesPerSlice, count - part * devicesPerSlice) }, (__, offset) =>
        deviceOf(devices, part * devicesPerSlice + offset),
      ),
    },
  }));
}

function deviceOf({ model, memory, taintsOf }: TaintedDevices, index: number) {
  const taints = taintsOf(deviceName(index));
  return {
    name: deviceName(index),
    attributes: { model: { string: model }, index: { int: index } },
    capacity: { memory: { value: memory } },
    ...(taints.length === 0 ? {} : { taints: [...taints] }),
  };
}

function partsOf({ spec }: ResourceSlice): object {
  const { driver, nodeName, pool, devices = [] } = spec;
  return {
    driver,
    nodeName,
    pool,
    devices: devices.map(({ name, attributes, capacity, taints = [] }) => ({ name, attributes, capacity, taints })),
  };
}
