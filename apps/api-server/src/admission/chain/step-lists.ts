import type { AdmissionTarget, AnyAdmissionStep, AsyncAdmissionStep } from "../admission.ts";
import type { AdmissionMetrics, AdmissionOperation, AdmissionType, Timing } from "./admission-metrics.ts";
import type { Resource } from "../../resources/resource.ts";

export interface TimedStep {
  readonly step: AnyAdmissionStep;
  readonly timing: Timing;
}

/** The steps that handle one kind of request, in the order of the list. */
export interface StepLists {
  readonly admit: readonly TimedStep[];
  readonly validate: readonly TimedStep[];
  /** The steps that check a write where it is decided. Their time counts as validation. */
  readonly atCommit: readonly TimedStep[];
  /** Asynchronous steps of both types. */
  readonly async: readonly AsyncAdmissionStep[];
  /** Steps that may need preparation. */
  readonly prepared: readonly AnyAdmissionStep[];
}

/**
 * Finds the steps of a request. Every write needs its list, and there are few kinds of requests, so
 * each list is made once. Only served subresources have lists, so there are few lists for each
 * resource. They are removed with the resource.
 */
export function createStepFinder(
  metrics: AdmissionMetrics,
  steps: readonly AnyAdmissionStep[],
): (target: AdmissionTarget) => StepLists {
  const timed = (type: AdmissionType) =>
    steps
      .filter((step) => doesType(step, type))
      .map((step) => ({ step, timing: metrics.ofController(step.name, type) }));
  const atCommit = steps
    .filter((step) => "atCommit" in step)
    .map((step) => ({ step, timing: metrics.ofController(step.name, "validate") }));
  const all = { admit: timed("admit"), validate: timed("validate") };
  const found: Readonly<Record<AdmissionOperation, WeakMap<Resource, Map<string, StepLists>>>> = {
    create: new WeakMap(),
    update: new WeakMap(),
    delete: new WeakMap(),
    connect: new WeakMap(),
  };
  return (target) => {
    const ofOperation = found[target.operation];
    let bySubresource = ofOperation.get(target.resource);
    if (bySubresource === undefined) ofOperation.set(target.resource, (bySubresource = new Map()));
    let lists = bySubresource.get(target.subresource);
    if (lists === undefined) {
      lists = {
        admit: all.admit.filter(({ step }) => handles(step, target)),
        validate: all.validate.filter(({ step }) => handles(step, target)),
        atCommit: atCommit.filter(({ step }) => handles(step, target)),
        async: steps.filter(isAsync).filter((step) => handles(step, target)),
        prepared: steps.filter((step) => step.preparation !== undefined && handles(step, target)),
      };
      bySubresource.set(target.subresource, lists);
    }
    return lists;
  };
}

export function isAsync(step: AnyAdmissionStep): step is AsyncAdmissionStep {
  return "timeoutMs" in step;
}

const doing = { admit: ["mutate", "replace", "mutateAsync"], validate: ["validate", "validateAsync"] } as const;

function doesType(step: AnyAdmissionStep, type: AdmissionType): boolean {
  return doing[type].some((method) => method in step);
}

function handles(
  { handles: handled }: AnyAdmissionStep,
  { operation, resource, subresource }: AdmissionTarget,
): boolean {
  const { operations, resources, subresources } = handled;
  if (!operations.includes(operation)) return false;
  if (subresources !== undefined && !subresources.includes(subresource)) return false;
  const { type } = resource;
  return resources === undefined || resources.some((of) => of.group === type.group && of.resource === type.resource);
}
