import type { Faults } from "../../../validation/faults.ts";
import { checkLabel1123, checkPathSegment } from "../../../values/names.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { validateContainerResourceName } from "../../core/pod/validation/resources.ts";
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "./scaling-metrics.ts";

const sourceTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** The fields of a MetricSpec that contain a source, in upstream's order of checks. */
const sourceFields = ["object", "external", "pods", "resource", "containerResource"] as const;

const fieldOfType: Readonly<Record<MetricSpec["type"], (typeof sourceFields)[number]>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

/** Follows validateMetricSpec of pkg/apis/autoscaling/validation. */
export function validateMetricSpec(spec: MetricSpec, path: string, faults: Faults): void {
  const { type } = spec;
  if ((type as string) === "") faults.required(`${path}.type`, "must specify a metric source type");
  if (!sourceTypes.includes(type)) faults.notSupported(`${path}.type`, type, sourceTypes);
  const present = sourceFields.filter((field) => spec[field] !== undefined);
  if (present[0] !== undefined) validateSource(spec, present[0], { path: `${path}.${present[0]}`, faults });
  const expected = sourceTypes.includes(type) ? fieldOfType[type] : undefined;
  if (expected !== undefined && spec[expected] === undefined) {
    faults.required(`${path}.${expected}`, "must populate information for the given metric source");
  }
  if (present.length === 1) return;
  for (const field of present.filter((found) => found !== expected)) {
    faults.forbidden(`${path}.${field}`, "must populate the given metric source only");
  }
}

interface Place {
  path: string;
  faults: Faults;
}

function validateSource(spec: MetricSpec, field: (typeof sourceFields)[number], place: Place): void {
  if (field === "object" && spec.object) validateObject(spec.object, place);
  if (field === "external" && spec.external) validateExternal(spec.external, place);
  if (field === "pods" && spec.pods) validatePods(spec.pods, place);
  if (field === "resource" && spec.resource) validateResource(spec.resource, place);
  if (field === "containerResource" && spec.containerResource) validateContainer(spec.containerResource, place);
}

function validateObject({ describedObject, metric, target }: ObjectMetricSource, { path, faults }: Place): void {
  validateReference(describedObject, `${path}.describedObject`, faults);
  validateIdentifier(metric, `${path}.metric`, faults);
  validateTarget(target, `${path}.target`, faults);
  if (target.value === undefined && target.averageValue === undefined) {
    faults.required(`${path}.target.averageValue`, "must set either a target value or averageValue");
  }
}

function validateExternal({ metric, target }: ExternalMetricSource, { path, faults }: Place): void {
  validateIdentifier(metric, `${path}.metric`, faults);
  validateTarget(target, `${path}.target`, faults);
  if (target.value === undefined && target.averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    faults.required(`${path}.target.averageValue`, detail);
  }
  if (target.value !== undefined && target.averageValue !== undefined) {
    faults.forbidden(`${path}.target.value`, "may not set both a target value for metric and a per-pod target");
  }
}

function validatePods({ metric, target }: PodsMetricSource, { path, faults }: Place): void {
  validateIdentifier(metric, `${path}.metric`, faults);
  validateTarget(target, `${path}.target`, faults);
  if (target.averageValue === undefined) {
    faults.required(`${path}.target.averageValue`, "must specify a positive target averageValue");
  }
}

function validateContainer(source: ContainerResourceMetricSource, { path, faults }: Place): void {
  const { name, container, target } = source;
  if (name === "") faults.required(`${path}.name`, "must specify a resource name");
  else validateContainerResourceName(name, `${path}.name`, faults);
  if (container === "") faults.required(`${path}.container`, "must specify a container");
  else faults.invalidEach(`${path}.container`, container, checkLabel1123(container));
  validateResourceTarget(target, `${path}.target`, faults);
}

function validateResource({ name, target }: ResourceMetricSource, { path, faults }: Place): void {
  if (name === "") faults.required(`${path}.name`, "must specify a resource name");
  validateResourceTarget(target, `${path}.target`, faults);
}

function validateResourceTarget(target: MetricTarget, path: string, faults: Faults): void {
  validateTarget(target, path, faults);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    faults.required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization");
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    faults.forbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization");
  }
}

const targetTypes = ["Utilization", "Value", "AverageValue"];

function validateTarget(target: MetricTarget, path: string, faults: Faults): void {
  const { type, value, averageValue, averageUtilization } = target;
  if ((type as string) === "") faults.required(`${path}.type`, "must specify a metric target type");
  if (!targetTypes.includes(type)) {
    faults.invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue");
  }
  for (const [field, amount] of Object.entries({ value, averageValue })) {
    if (amount === undefined || parseQuantity(amount).nanos > 0n) continue;
    faults.invalid(`${path}.${field}`, amount, "must be positive");
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    faults.invalid(`${path}.averageUtilization`, averageUtilization, "must be greater than 0");
  }
}

function validateIdentifier({ name }: MetricIdentifier, path: string, faults: Faults): void {
  if (name === "") faults.required(`${path}.name`, "must specify a metric name");
  else faults.invalidEach(`${path}.name`, name, checkPathSegment(name));
}

/** Follows ValidateCrossVersionObjectReference. */
export function validateReference(reference: CrossVersionObjectReference, path: string, faults: Faults): void {
  for (const field of ["kind", "name"] as const) {
    const value = reference[field];
    if (value === "") faults.required(`${path}.${field}`);
    else faults.invalidEach(`${path}.${field}`, value, checkPathSegment(value));
  }
}
