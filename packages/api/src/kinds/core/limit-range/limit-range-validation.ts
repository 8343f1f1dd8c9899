import { checkQualifiedName } from "../../../values/names.ts";
import { compareQuantities, formatQuantity, parseQuantity } from "../../../values/quantity.ts";
import type { Faults } from "../../../validation/faults.ts";
import { isOvercommitable, validateContainerResourceName, validateResourceName } from "../pod/validation/resources.ts";
import type { LimitRange, LimitRangeItem } from "./limit-range.ts";

const standardTypes: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];

/** The rules follow ValidateLimitRange in pkg/apis/core/validation. */
export function validateLimitRange({ spec }: LimitRange, faults: Faults): void {
  const seen = new Set<string>();
  for (const [index, item] of (spec?.limits ?? []).entries()) {
    const path = `spec.limits[${index}]`;
    validateType(item.type, `${path}.type`, faults);
    if (seen.has(item.type)) faults.duplicate(`${path}.type`, item.type);
    seen.add(item.type);
    validateItem(item, path, faults);
  }
}

function validateType(type: string, path: string, faults: Faults): void {
  const problems = checkQualifiedName(type);
  faults.invalidEach(path, type, problems);
  if (problems.length > 0 || type.includes("/") || standardTypes.includes(type)) return;
  faults.invalid(path, type, "must be a standard limit type or fully qualified");
}

function validateItem(item: LimitRangeItem, path: string, faults: Faults): void {
  const { type, max, min, maxLimitRequestRatio } = item;
  const checkNames = (amounts: LimitRangeItem["max"], field: string): void => {
    const validateName = type === "Pod" || type === "Container" ? validateContainerResourceName : validateResourceName;
    for (const name of Object.keys(amounts ?? {})) validateName(name, `${path}.${field}[${name}]`, faults);
  };
  checkNames(max, "max");
  checkNames(min, "min");
  for (const field of ["default", "defaultRequest"] as const) {
    if (type !== "Pod") checkNames(item[field], field);
    else if (Object.keys(item[field] ?? {}).length > 0) {
      faults.forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'");
    }
  }
  if (type === "PersistentVolumeClaim" && min?.["storage"] === undefined && max?.["storage"] === undefined) {
    faults.required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided");
  }
  checkNames(maxLimitRequestRatio, "maxLimitRequestRatio");
  for (const name of namesOf(item)) validateAmounts(item, { path, name }, faults);
}

function namesOf(item: LimitRangeItem): string[] {
  const lists = [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio];
  return [...new Set(lists.flatMap((amounts) => Object.keys(amounts ?? {})))];
}

/** Checks that the bounds and defaults of one resource do not contradict each other. */
function validateAmounts(item: LimitRangeItem, { path, name }: { path: string; name: string }, faults: Faults): void {
  const own = (amounts: LimitRangeItem["max"]) =>
    amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  // Upstream never compares the defaults of Pods, because they are forbidden.
  const isPod = item.type === "Pod";
  const [max, min] = [own(item.max), own(item.min)];
  const [limit, request] = isPod ? [] : [own(item.default), own(item.defaultRequest)];
  const orders: Order[] = [
    { low: min, high: max, field: "min", value: min, words: ["min", "max"] },
    { low: min, high: request, field: "defaultRequest", value: request, words: ["min", "default request"] },
    { low: request, high: max, field: "defaultRequest", value: request, words: ["default request", "max"] },
    { low: request, high: limit, field: "defaultRequest", value: request, words: ["default request", "default limit"] },
    { low: min, high: limit, field: "default", value: min, words: ["min", "default"] },
    { low: limit, high: max, field: "default", value: max, words: ["default", "max"] },
  ];
  for (const { low, high, field, value, words } of orders) {
    if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) continue;
    const [lowWord, highWord] = words;
    const detail = `${lowWord} value ${low} is greater than ${highWord} value ${high}`;
    faults.invalid(`${path}.${field}[${name}]`, value, detail);
  }
  validateRatio({ ratio: own(item.maxLimitRequestRatio), min, max }, `${path}.maxLimitRequestRatio[${name}]`, faults);
  if (isOvercommitable(name) || limit === undefined || request === undefined) return;
  if (compareQuantities(limit, request) === 0) return;
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  faults.invalid(`${path}.defaultRequest[${name}]`, request, detail);
}

/** Checks that the low amount is not greater than the high amount; the error quotes `value`. */
interface Order {
  low: string | undefined;
  high: string | undefined;
  field: string;
  value: string | undefined;
  words: readonly [low: string, high: string];
}

interface Ratio {
  ratio: string | undefined;
  min: string | undefined;
  max: string | undefined;
}

function validateRatio({ ratio, min, max }: Ratio, path: string, faults: Faults): void {
  if (ratio === undefined) return;
  const number = (text: string) => Number(parseQuantity(text).nanos);
  const shown = formatQuantity(parseQuantity(ratio));
  if (compareQuantities(ratio, "1") < 0) faults.invalid(path, ratio, `ratio ${shown} is less than 1`);
  if (min === undefined || max === undefined) return;
  const most = number(max) / number(min);
  if (number(ratio) / 1e9 <= most) return;
  faults.invalid(path, ratio, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`);
}
