import type { Device, DeviceClass, DeviceClaim, ResourceClaim, ResourceSlice } from "@kintsugi/api";
import type { CompileSelector } from "../devices/allocator/selectors.ts";

/** The driver of all devices that are made here. */
export const testDriver = "gpu.example.com";

/**
 * A language of selectors for tests, because this package has no CEL: "true", "false", "fault",
 * "costly", or "attribute=text".
 */
export const testSelectors: CompileSelector = (expression) => {
  if (expression === "uncompilable") return { fault: "no expression" };
  const [attribute = "", wanted] = expression.split("=");
  return ({ device }, budget) => {
    if (expression === "fault") return { fault: "no such key" };
    if (expression === "costly") {
      budget.costLeft -= 100_000;
      return budget.costLeft < 0 ? "exhausted" : true;
    }
    if (wanted === undefined) return expression === "true";
    return device.attributes?.[attribute]?.string === wanted;
  };
};

/** A device with strings as attributes. */
export function aDevice(name: string, attributes: Readonly<Record<string, string>> = {}, more: Partial<Device> = {}) {
  const texts = Object.entries(attributes).map(([key, string]) => [key, { string }] as const);
  return { name, attributes: Object.fromEntries(texts), ...more } satisfies Device;
}

export interface SliceDetails {
  name?: string;
  pool?: string;
  nodeName?: string;
  devices?: Device[];
  generation?: number;
  count?: number;
  spec?: Partial<ResourceSlice["spec"]>;
}

/** A slice that is its whole pool, on a node unless `spec` overrides the node. */
export function aSlice(details: SliceDetails = {}): ResourceSlice {
  const { pool = details.nodeName ?? "pool", nodeName, devices = [], generation = 1, count = 1, spec } = details;
  return {
    metadata: { name: details.name ?? pool },
    spec: {
      driver: testDriver,
      pool: { name: pool, generation, resourceSliceCount: count },
      devices,
      ...(nodeName === undefined ? {} : { nodeName }),
      ...spec,
    },
  };
}

export function aDeviceClass(name: string, ...selectors: string[]): DeviceClass {
  return { metadata: { name }, spec: { selectors: selectors.map((expression) => ({ cel: { expression } })) } };
}

type Exactly = NonNullable<NonNullable<DeviceClaim["requests"]>[number]["exactly"]>;

/** A request for devices of the class "gpu". */
export function aDeviceRequest(name: string, exactly: Partial<Exactly> & { selectors?: Exactly["selectors"] } = {}) {
  return { name, exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1, ...exactly } };
}

export function selecting(...expressions: string[]): { cel: { expression: string } }[] {
  return expressions.map((expression) => ({ cel: { expression } }));
}

export function aDeviceClaim(name: string, devices: DeviceClaim, status?: ResourceClaim["status"]): ResourceClaim {
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1" },
    spec: { devices },
    ...(status === undefined ? {} : { status }),
  };
}
