import { addQuantities, compareQuantities, parseQuantity } from "../../../values/quantity.ts";
import type { Faults } from "../../../validation/faults.ts";
import type { CapacityRequestPolicy } from "./published-devices.ts";

// The rules and messages follow pkg/apis/resource/validation.

const validValuesMax = 10;

/** Validates the amounts of a capacity that can be requested, and the default amount. */
export function validateRequestPolicy(
  policy: CapacityRequestPolicy,
  { value, path }: { value: string; path: string },
  faults: Faults,
): void {
  const { validValues = [], validRange } = policy;
  if (validValues.length > 0 && validRange !== undefined) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return faults.forbidden(path, detail);
  }
  const [field] = validValues.length > 0 ? ["validValues"] : validRange === undefined ? [] : ["validRange"];
  if (field === undefined) return;
  if (policy.default === undefined) return faults.required(`${path}.default`, `required when ${field} is defined`);
  const share = { value, share: policy.default };
  if (validRange === undefined) validateValues(validValues, { ...share, path: `${path}.validValues` }, faults);
  else validateRange(validRange, { ...share, path: `${path}.validRange` }, faults);
}

interface Share {
  /** The whole capacity. */
  readonly value: string;
  /** The default. */
  readonly share: string;
  readonly path: string;
}

function validateValues(values: readonly string[], { value, share, path }: Share, faults: Faults): void {
  if (values.length > validValuesMax) return faults.tooMany(path, values.length, validValuesMax);
  for (const [index, one] of values.entries()) {
    const before = values[index - 1];
    const order = before === undefined ? -1 : compareQuantities(before, one);
    if (order > 0) faults.invalid(`${path}[${index}]`, one, "values must be sorted in ascending order");
    if (order === 0) faults.duplicate(`${path}[${index}]`, one);
    if (compareQuantities(one, value) > 0) {
      faults.invalid(`${path}[${index}]`, one, `option is larger than capacity value: ${value}`);
    }
  }
  if (values.some((one) => compareQuantities(one, share) === 0)) return;
  faults.invalid(path, share, "default value is not valid according to the requestPolicy");
}

type Range = NonNullable<CapacityRequestPolicy["validRange"]>;

function validateRange({ min, max, step }: Range, { value, share, path }: Share, faults: Faults): void {
  const isMore = (a: string, b: string) => compareQuantities(a, b) > 0;
  if (isMore(min, value)) faults.invalid(`${path}.min`, min, `min is larger than capacity value: ${value}`);
  if (isMore(min, share)) faults.invalid(`${path}.default`, share, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (isMore(min, max)) faults.invalid(`${path}.max`, min, `min is larger than max: ${max}`);
    if (isMore(max, value)) faults.invalid(`${path}.max`, max, `max is larger than capacity value: ${value}`);
    if (isMore(share, max)) faults.invalid(`${path}.default`, share, `default is more than max: ${max}`);
  }
  if (step === undefined) return;
  if (!isMore(step, "0")) return faults.invalid(`${path}.step`, step, "must be greater than zero");
  const first = addQuantities(min, step);
  if (isMore(first, value)) {
    faults.invalid(`${path}.step`, step, `one step ${first} is larger than capacity value: ${value}`);
  }
  for (const one of max === undefined ? [share] : [share, max]) {
    const [steps, from, size] = [one, min, step].map((text) => parseQuantity(text).nanos) as [bigint, bigint, bigint];
    if ((steps - from) % size === 0n) continue;
    faults.invalid(`${path}.step`, one, `value is not a multiple of a given step (${step}) from (${min})`);
  }
}
