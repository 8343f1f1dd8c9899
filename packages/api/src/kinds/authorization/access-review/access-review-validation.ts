import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from "./access-review.ts";
import type { Faults } from "../../../validation/faults.ts";

type AccessSpec = SubjectAccessReview["spec"] | SelfSubjectAccessReview["spec"];

export function validateSubjectAccessReview(
  { spec }: SubjectAccessReview | LocalSubjectAccessReview,
  faults: Faults,
): void {
  validateAttributes(spec, faults);
  if ((spec.user ?? "") === "" && (spec.groups ?? []).length === 0) {
    faults.invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified");
  }
}

export function validateLocalSubjectAccessReview(review: LocalSubjectAccessReview, faults: Faults): void {
  validateSubjectAccessReview(review, faults);
  const { spec, metadata } = review;
  if (spec.nonResourceAttributes !== undefined) {
    faults.invalid("spec.nonResourceAttributes", spec.nonResourceAttributes, "disallowed on this kind of request");
  }
  const namespace = spec.resourceAttributes?.namespace ?? "";
  if (namespace !== (metadata.namespace ?? "")) {
    faults.invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace");
  }
}

export function validateSelfSubjectAccessReview({ spec }: SelfSubjectAccessReview, faults: Faults): void {
  validateAttributes(spec, faults);
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: AccessSpec, faults: Faults): void {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    faults.invalid("spec.nonResourceAttributes", nonResourceAttributes, detail);
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    faults.invalid("spec.resourceAttributes", resourceAttributes, detail);
  }
}
