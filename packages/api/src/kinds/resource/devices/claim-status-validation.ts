import { validateDriverName } from "../../core/persistent-volume/source-validation.ts";
import { validateNodeSelector } from "../../core/pod/validation/affinity.ts";
import { checkCidr } from "../../../values/ip-address.ts";
import { sameJson } from "../../../values/json.ts";
import { checkLabel1123, checkQualifiedName } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length } from "../../../validation/labels.ts";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  ResourceClaimStatus,
} from "./allocated-devices.ts";
import {
  type RequestNames,
  validateConfiguration,
  validateDeviceTolerations,
  validateRequestReference,
  validateRequestReferences,
} from "./claim-spec-validation.ts";
import { validateEach, validatePoolName, validateRawSize, validateShareId } from "./resource-names.ts";

// The rules and messages follow pkg/apis/resource/validation.

const [consumersMax, resultsMax, configurationsMax, bindingConditionsMax] = [256, 32, 64, 4] as const;
const [deviceConditionsMax, addressesMax, interfaceNameMax, hardwareAddressMax] = [8, 16, 256, 128] as const;

/** A write of a claim's status, with the claim before it. */
interface StatusChange {
  readonly after: ResourceClaimStatus;
  readonly before: ResourceClaimStatus;
  readonly names: RequestNames;
  readonly isDeleted: boolean;
}

/** An allocation is immutable; it is only set and removed as a whole. */
export function validateAllocationStatus({ after, before, names, isDeleted }: StatusChange, faults: Faults): void {
  const { allocation, reservedFor = [] } = after;
  const path = "status.reservedFor";
  validateEach({ items: reservedFor, path, max: consumersMax, keyOf: ({ uid }) => uid }, faults, (consumer, each) => {
    for (const field of ["resource", "name", "uid"] as const) {
      if (consumer[field] === "") faults.required(`${each}.${field}`);
    }
  });
  validateReports(after, faults);
  if (reservedFor.length > 0 && allocation === undefined) {
    faults.forbidden(path, "may not be specified when `allocated` is not set");
  } else if (isDeleted) {
    const known = before.reservedFor ?? [];
    const isNew = reservedFor.some((consumer) => !known.some((old) => sameJson(old, consumer)));
    const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    if (isNew) faults.forbidden(path, detail);
  }
  if (allocation === undefined) return;
  if (before.allocation === undefined) return validateAllocation(allocation, names, faults);
  faults.immutable("status.allocation", allocation, sameJson(allocation, before.allocation));
}

function validateAllocation(allocation: AllocationResult, names: RequestNames, faults: Faults): void {
  const path = "status.allocation.devices";
  const { devices = {}, nodeSelector } = allocation;
  validateEach({ items: devices.results, path: `${path}.results`, max: resultsMax }, faults, (result, each) =>
    validateResult(result, { names, path: each }, faults),
  );
  validateEach({ items: devices.config, path: `${path}.config`, max: configurationsMax }, faults, (one, each) => {
    faults.oneOf(`${each}.source`, one.source, ["FromClaim", "FromClass"]);
    validateRequestReferences(one.requests, { names, path: `${each}.requests` }, faults);
    validateConfiguration(one.opaque, each, faults);
  });
  if (nodeSelector !== undefined) validateNodeSelector(nodeSelector, "status.allocation.nodeSelector", faults);
}

function validateResult(
  result: DeviceRequestAllocationResult,
  { names, path }: { names: RequestNames; path: string },
  faults: Faults,
): void {
  validateRequestReference(result.request, { names, path: `${path}.request` }, faults);
  validateDevicePlace(result, path, faults);
  validateBindingConditions(result, path, faults);
  validateDeviceTolerations(result.tolerations ?? [], `${path}.tolerations`, faults);
}

type DevicePlace = Pick<DeviceRequestAllocationResult, "driver" | "pool" | "device" | "shareID">;

function validateDevicePlace({ driver, pool, device, shareID }: DevicePlace, path: string, faults: Faults): void {
  validateDriverName(driver, `${path}.driver`, faults);
  validatePoolName(pool, `${path}.pool`, faults);
  faults.invalidEach(`${path}.device`, device, checkLabel1123(device));
  if (shareID !== undefined) validateShareId(shareID, `${path}.shareID`, faults);
}

interface BindingConditions {
  readonly bindingConditions?: readonly string[] | undefined;
  readonly bindingFailureConditions?: readonly string[] | undefined;
}

/** Devices and allocations have both types of conditions, or neither. */
export function validateBindingConditions(conditions: BindingConditions, path: string, faults: Faults): void {
  const { bindingConditions: wanted = [], bindingFailureConditions: failed = [] } = conditions;
  const places = { bindingConditions: wanted, bindingFailureConditions: failed };
  for (const [name, items] of Object.entries(places)) {
    const list = { items, path: `${path}.${name}`, max: bindingConditionsMax, keyOf: (item: string) => item };
    validateEach(list, faults, (item, each) => faults.invalidEach(each, item, checkQualifiedName(item)));
  }
  for (const [index, item] of failed.entries()) {
    if (!wanted.includes(item)) continue;
    const detail = "bindingFailureConditions must not overlap with bindingConditions";
    faults.invalid(`${path}.bindingFailureConditions[${index}]`, item, detail);
  }
  if ((wanted.length === 0) === (failed.length === 0)) return;
  const [missing, other] =
    wanted.length === 0
      ? ["bindingConditions", "bindingFailureConditions"]
      : ["bindingFailureConditions", "bindingConditions"];
  faults.invalid(`${path}.${missing}`, [], `${missing} are required to use ${other}`);
}

function validateReports({ allocation, devices = [] }: ResourceClaimStatus, faults: Faults): void {
  const placeOf = ({ driver, pool, device, shareID = "" }: DevicePlace) => [driver, pool, device, shareID].join("/");
  const allocated = new Set((allocation?.devices?.results ?? []).map(placeOf));
  // The status reports on at most as many devices as the allocation has.
  const list = { items: devices, path: "status.devices", max: resultsMax, keyOf: placeOf };
  validateEach(list, faults, (device, path) => {
    validateDevicePlace(device, path, faults);
    if (!allocated.has(placeOf(device))) {
      faults.invalid(path, placeOf(device), "must be an allocated device in the claim");
    }
    validateReport(device, path, faults);
  });
}

function validateReport(device: AllocatedDeviceStatus, path: string, faults: Faults): void {
  const { conditions, data, networkData: network } = device;
  const list = { items: conditions, path: `${path}.conditions`, max: deviceConditionsMax };
  validateEach({ ...list, keyOf: ({ type }) => type }, faults, ({ type, status, reason }, each) => {
    faults.invalidEach(`${each}.type`, type, checkQualifiedName(type));
    faults.oneOf(`${each}.status`, status, ["False", "True", "Unknown"]);
    if (reason === "") faults.required(`${each}.reason`);
  });
  if (data !== undefined) validateRawSize(data, `${path}.data`, faults);
  if (network === undefined) return;
  const at = `${path}.networkData`;
  const { interfaceName = "", hardwareAddress = "", ips } = network;
  if (utf8Length(interfaceName) > interfaceNameMax) faults.tooLong(`${at}.interfaceName`, interfaceNameMax);
  if (utf8Length(hardwareAddress) > hardwareAddressMax) faults.tooLong(`${at}.hardwareAddress`, hardwareAddressMax);
  validateEach({ items: ips, path: `${at}.ips`, max: addressesMax, keyOf: (ip) => ip }, faults, (ip, each) => {
    // Unlike a range, an address may have host bits after its prefix; `checkCidr` accepts addresses
    // with and without host bits.
    if (checkCidr(ip).length === 0) return;
    faults.invalid(each, ip, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
  });
}
