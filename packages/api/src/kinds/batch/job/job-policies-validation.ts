import type { Faults } from "../../../validation/faults.ts";
import { checkQualifiedName } from "../../../values/names.ts";
import { utf8Length } from "../../../validation/labels.ts";
import { countIndexes, readIndexIntervals } from "./completion-indexes.ts";
import {
  exitCodeOperators,
  podFailureActions,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyOnPodConditionsPattern,
  type PodFailurePolicyRule,
  type SuccessPolicyRule,
} from "./job-policies.ts";
import type { JobSpec } from "./job.ts";

/** Upstream's limits. */
const rulesMax = 20;
const exitCodesMax = 255;
const patternsMax = 20;
const succeededIndexesLengthMax = 64 * 1024;

const statuses = ["False", "True", "Unknown"];

export function validatePodFailurePolicy(spec: JobSpec, path: string, faults: Faults): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > rulesMax) faults.tooMany(`${path}.rules`, rules.length, rulesMax);
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.rules[${index}]`;
    validateAction(rule, { at, perIndex: spec.backoffLimitPerIndex !== undefined }, faults);
    validateMatchers(rule, { at, spec }, faults);
  }
}

function validateAction(
  { action }: { action: string },
  { at, perIndex }: { at: string; perIndex: boolean },
  faults: Faults,
): void {
  const field = `${at}.action`;
  if (action === "") faults.required(field, validValues(podFailureActions));
  else if (action === "FailIndex") {
    if (!perIndex) faults.invalid(field, action, "requires the backoffLimitPerIndex to be set");
  } else if (!podFailureActions.some((known) => known === action)) {
    faults.notSupported(field, action, podFailureActions);
  }
}

function validateMatchers(
  { onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  { at, spec }: { at: string; spec: JobSpec },
  faults: Faults,
): void {
  if (onExitCodes !== undefined) validateExitCodes(onExitCodes, { at: `${at}.onExitCodes`, spec }, faults);
  if (onPodConditions.length > 0) validatePatterns(onPodConditions, `${at}.onPodConditions`, faults);
  const problem =
    onExitCodes !== undefined && onPodConditions.length > 0
      ? "specifying both OnExitCodes and OnPodConditions is not supported"
      : onExitCodes === undefined && onPodConditions.length === 0
        ? "specifying one of OnExitCodes and OnPodConditions is required"
        : undefined;
  if (problem !== undefined) faults.invalidWhole(at, problem);
}

function validatePatterns(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: string,
  faults: Faults,
): void {
  if (patterns.length > patternsMax) faults.tooMany(path, patterns.length, patternsMax);
  for (const [index, { type, status }] of patterns.entries()) {
    const at = `${path}[${index}]`;
    faults.invalidEach(`${at}.type`, type, checkQualifiedName(type));
    if (status === undefined) faults.required(`${at}.status`, validValues(statuses));
    else if (!statuses.includes(status)) faults.notSupported(`${at}.status`, status, statuses);
  }
}

function validateExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  { at, spec }: { at: string; spec: JobSpec },
  faults: Faults,
): void {
  const wanted: string = operator;
  if (wanted === "") faults.required(`${at}.operator`, validValues(exitCodeOperators));
  else if (!exitCodeOperators.some((known) => known === wanted)) {
    faults.notSupported(`${at}.operator`, wanted, exitCodeOperators);
  }
  if (containerName !== undefined && !containerNames(spec).has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    faults.invalid(`${at}.containerName`, containerName, detail);
  }
  const path = `${at}.values`;
  if (values.length === 0) faults.invalid(path, values, "at least one value is required");
  else if (values.length > exitCodesMax) faults.tooMany(path, values.length, exitCodesMax);
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (operator === "In" && value === 0)
      faults.invalid(`${path}[${index}]`, value, "must not be 0 for the In operator");
    if (seen.has(value)) faults.duplicate(`${path}[${index}]`, value);
    seen.add(value);
  }
  const ordered = values.every((value, index) => index === 0 || (values[index - 1] ?? value) <= value);
  if (!ordered) faults.invalid(path, values, "must be ordered");
}

function containerNames({ template }: JobSpec): ReadonlySet<string> {
  const { containers = [], initContainers = [] } = template.spec ?? {};
  return new Set([...containers, ...initContainers].map(({ name }) => name));
}

export function validateSuccessPolicy(spec: JobSpec, path: string, faults: Faults): void {
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) {
    faults.required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.length > rulesMax) faults.tooMany(`${path}.rules`, rules.length, rulesMax);
  for (const [index, rule] of rules.entries()) {
    validateSuccessRule(rule, { at: `${path}.rules[${index}]`, completions: spec.completions ?? 0 }, faults);
  }
}

function validateSuccessRule(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  { at, completions }: { at: string; completions: number },
  faults: Faults,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    faults.required(at, "at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const field = `${at}.succeededIndexes`;
    if (utf8Length(succeededIndexes) > succeededIndexesLengthMax) faults.tooLong(field, succeededIndexesLengthMax);
    const intervals = readIndexIntervals(succeededIndexes, completions);
    if (Array.isArray(intervals)) total = countIndexes(intervals);
    else faults.invalid(field, succeededIndexes, `error parsing succeededIndexes: ${intervals.problem}`);
  }
  if (succeededCount === undefined) return;
  const field = `${at}.succeededCount`;
  faults.notNegative(field, succeededCount);
  if (succeededCount > completions) {
    const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
    faults.invalid(field, succeededCount, detail);
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    const indexes = "the number of indexes in the specified succeededIndexes field";
    faults.invalid(field, succeededCount, `must be less than or equal to ${total} (${indexes})`);
  }
}

/** Formats a list like Go's `%q`. */
function validValues(words: readonly string[]): string {
  return `valid values: [${words.map((word) => JSON.stringify(word)).join(" ")}]`;
}
