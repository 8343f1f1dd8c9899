import { validateDriverName } from "../../core/persistent-volume/source-validation.ts";
import { validateNodeSelector } from "../../core/pod/validation/affinity.ts";
import { checkLabel1123, checkLabelValue, checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length, validateLabelKey } from "../../../validation/labels.ts";
import { validateRequestPolicy } from "./capacity-validation.ts";
import { deviceTaintEffects } from "./claim-spec-validation.ts";
import { validateBindingConditions } from "./claim-status-validation.ts";
import type { Device, DeviceAttribute, DeviceTaint, ResourceSliceSpec } from "./published-devices.ts";
import { validateEach, validatePoolName, validateQualifiedDeviceName } from "./resource-names.ts";

// The rules and messages follow pkg/apis/resource/validation.

const [devicesMax, advancedDevicesMax, counterSetsMax, countersMax, consumptionsMax, taintsMax] = [
  128, 64, 8, 32, 2, 16,
] as const;
const [attributesMax, attributeValuesMax, attributeLengthMax] = [32, 48, 64] as const;

export function validateSliceSpec(spec: ResourceSliceSpec, faults: Faults): void {
  const { pool, devices = [], sharedCounters } = spec;
  validateDriverName(spec.driver, "spec.driver", faults);
  validatePoolName(pool.name, "spec.pool.name", faults);
  if (pool.resourceSliceCount <= 0) {
    faults.invalid("spec.pool.resourceSliceCount", pool.resourceSliceCount, "must be greater than zero");
  }
  if (pool.generation < 0) {
    faults.invalid("spec.pool.generation", pool.generation, "must be greater than or equal to zero");
  }
  validateSliceNodes(spec, faults);
  if (sharedCounters !== undefined && spec.devices !== undefined) {
    faults.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed");
  }
  const max = devices.some(isAdvanced) ? advancedDevicesMax : devicesMax;
  validateEach({ items: devices, path: "spec.devices", max, keyOf: ({ name }) => name }, faults, (device, path) =>
    validateDevice(device, { path, choosesNodes: spec.perDeviceNodeSelection === true }, faults),
  );
  const sets = { items: sharedCounters, path: "spec.sharedCounters", max: counterSetsMax };
  validateEach({ ...sets, keyOf: ({ name }) => name }, faults, ({ name, counters }, path) => {
    faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
    validateCounters(counters, `${path}.counters`, faults);
  });
}

/**
 * The driver, the pool and the node of a slice are immutable; its devices and counters may change.
 */
export function validateSliceUpdate(after: ResourceSliceSpec, before: ResourceSliceSpec, faults: Faults): void {
  faults.immutable("spec.pool.name", after.pool.name, after.pool.name === before.pool.name);
  faults.immutable("spec.driver", after.driver, after.driver === before.driver);
  faults.immutable("spec.nodeName", after.nodeName, after.nodeName === before.nodeName);
}

interface NodeChoice {
  readonly nodeName?: string | undefined;
  readonly nodeSelector?: ResourceSliceSpec["nodeSelector"];
  readonly allNodes?: boolean | undefined;
  readonly perDeviceNodeSelection?: boolean | undefined;
}

function validateSliceNodes(spec: ResourceSliceSpec, faults: Faults): void {
  const { nodeSelector } = spec;
  const set = validateNodeChoice(spec, "spec", faults);
  if (nodeSelector !== undefined && nodeSelector.nodeSelectorTerms.length !== 1) {
    const at = "spec.nodeSelector.nodeSelectorTerms";
    faults.invalid(at, nodeSelector.nodeSelectorTerms, "must have exactly one node selector term");
  }
  const detail = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) faults.required("spec", detail);
  if (set.length > 1) faults.invalid("spec", `{${set.join(", ")}}`, `${detail}, but multiple fields are set`);
}

/** Returns the fields that are set, as messages name them. */
function validateNodeChoice(choice: NodeChoice, path: string, faults: Faults): string[] {
  const { nodeName, nodeSelector } = choice;
  const set: string[] = [];
  if (nodeName === "") faults.invalid(`${path}.nodeName`, "", "must be either unset or set to a non-empty string");
  else if (nodeName !== undefined) {
    set.push("`nodeName`");
    faults.invalidEach(`${path}.nodeName`, nodeName, checkSubdomain1123(nodeName));
  }
  if (nodeSelector !== undefined) {
    set.push("`nodeSelector`");
    validateNodeSelector(nodeSelector, `${path}.nodeSelector`, faults);
  }
  for (const field of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (choice[field] === true) set.push(`\`${field}\``);
    if (choice[field] === false) faults.invalid(`${path}.${field}`, false, "must be either unset or set to true");
  }
  return set;
}

function isAdvanced({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean {
  const hasLists = Object.values(attributes).some(({ ints, bools, strings, versions }) =>
    [ints, bools, strings, versions].some((values) => values !== undefined),
  );
  return taints.length > 0 || consumesCounters.length > 0 || hasLists;
}

function validateDevice(device: Device, context: { path: string; choosesNodes: boolean }, faults: Faults): void {
  const { path } = context;
  const { name, attributes = {}, capacity = {} } = device;
  faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > attributesMax) {
    faults.invalid(path, count, `the total number of attributes and capacities must not exceed ${attributesMax}`);
  }
  const values = Object.values(attributes).reduce((sum, attribute) => sum + valueCount(attribute), 0);
  if (values > attributeValuesMax) {
    faults.invalid(path, values, `the total number of attribute values must not exceed ${attributeValuesMax}`);
  }
  for (const [key, attribute] of Object.entries(attributes)) {
    validateQualifiedDeviceName(key, `${path}.attributes`, faults);
    validateAttribute(attribute, `${path}.attributes[${key}]`, faults);
  }
  for (const [key, { value, requestPolicy: policy }] of Object.entries(capacity)) {
    validateQualifiedDeviceName(key, `${path}.capacity`, faults);
    if (policy === undefined) continue;
    const place = `${path}.capacity[${key}].requestPolicy`;
    if (device.allowMultipleAllocations === true) validateRequestPolicy(policy, { value, path: place }, faults);
    else faults.forbidden(place, "allowMultipleAllocations must be true");
  }
  validateEach({ items: device.taints, path: `${path}.taints`, max: taintsMax }, faults, (taint, each) =>
    validateDeviceTaint(taint, each, faults),
  );
  const consumed = { items: device.consumesCounters, path: `${path}.consumesCounters`, max: consumptionsMax };
  validateEach({ ...consumed, keyOf: ({ counterSet }) => counterSet }, faults, ({ counterSet, counters }, each) => {
    faults.invalidEach(`${each}.counterSet`, counterSet, checkLabel1123(counterSet));
    validateCounters(counters, `${each}.counters`, faults);
  });
  validateDeviceNodes(device, context, faults);
  validateBindingConditions(device, path, faults);
  for (const [resource, { capacityKey }] of Object.entries(device.nodeAllocatableResourceMappings ?? {})) {
    if (capacityKey === undefined || Object.hasOwn(capacity, capacityKey)) continue;
    faults.notFound(`${path}.nodeAllocatableResourceMappings[${resource}].capacityKey`, capacityKey);
  }
}

function validateDeviceNodes(device: Device, context: { path: string; choosesNodes: boolean }, faults: Faults): void {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!context.choosesNodes) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return;
    const detail =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    return faults.invalidWhole(context.path, detail);
  }
  const set = validateNodeChoice({ nodeName, nodeSelector, allNodes }, context.path, faults);
  const detail =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (set.length === 0) faults.required(context.path, detail);
  if (set.length > 1) faults.invalid(context.path, `{${set.join(", ")}}`, detail);
}

function valueCount({ ints, bools, strings, versions }: DeviceAttribute): number {
  const count = [ints, bools, strings, versions].reduce((sum, values) => sum + (values?.length ?? 0), 0);
  return Math.max(1, count);
}

const identifier = String.raw`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const number = String.raw`(?:0|[1-9]\d*)`;
const semver = new RegExp(
  String.raw`^${number}\.${number}\.${number}(?:-${identifier}(?:\.${identifier})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`,
);

function validateAttribute(attribute: DeviceAttribute, path: string, faults: Faults): void {
  const lists = ["bools", "ints", "strings", "versions"] as const;
  for (const field of lists) {
    if (attribute[field]?.length === 0) faults.invalid(`${path}.${field}`, [], "must not be empty if specified");
  }
  const texts = { string: attribute.string, ...indexed("strings", attribute.strings) };
  const versions = { version: attribute.version, ...indexed("versions", attribute.versions) };
  for (const [field, value] of Object.entries({ ...versions, ...texts })) {
    if (value === undefined) continue;
    // The length is checked first, so that expressions never read a long text.
    if (utf8Length(value) > attributeLengthMax) faults.tooLong(`${path}.${field}`, attributeLengthMax);
    else if (Object.hasOwn(versions, field) && !semver.test(value)) {
      faults.invalid(`${path}.${field}`, value, "must be a string compatible with semver.org spec 2.0.0");
    }
  }
  const set = Object.values(attribute).filter((value) => value !== undefined).length;
  if (set === 0) faults.invalid(path, "", "exactly one value must be specified");
  if (set > 1) faults.invalid(path, attribute, "exactly one value must be specified");
}

function indexed(field: string, values: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(values.map((value, index) => [`${field}[${index}]`, value]));
}

function validateDeviceTaint({ key, value = "", effect }: DeviceTaint, path: string, faults: Faults): void {
  if (key === "") faults.required(`${path}.key`);
  else validateLabelKey(key, `${path}.key`, faults);
  if (value !== "") faults.invalidEach(`${path}.value`, value, checkLabelValue(value));
  faults.oneOf(`${path}.effect`, effect, deviceTaintEffects);
}

function validateCounters(counters: Readonly<Record<string, unknown>>, path: string, faults: Faults): void {
  const names = Object.keys(counters);
  if (names.length === 0) return faults.required(path);
  if (names.length > countersMax) return faults.tooMany(path, names.length, countersMax);
  for (const name of names) faults.invalidEach(path, name, checkLabel1123(name));
}
