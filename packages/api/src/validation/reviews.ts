import type { TokenRequest } from "../kinds/authentication/token-request.ts";
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
} from "../kinds/authorization/access-review.ts";
import type { DeleteOptions } from "../meta/delete-options.ts";
import type { Faults } from "./faults.ts";

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

/** A shorter life could end before the token's holder renews it. */
const tokenSecondsMin = 600;

export function validateTokenRequest({ spec }: TokenRequest, faults: Faults): void {
  const { expirationSeconds } = spec ?? {};
  const path = "spec.expirationSeconds";
  if (expirationSeconds === undefined) return;
  if (expirationSeconds < tokenSecondsMin) {
    faults.invalid(path, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > 2 ** 32) {
    faults.invalid(path, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
}

const propagationPolicies = ["Foreground", "Background", "Orphan"];

export function validateDeleteOptions(options: DeleteOptions, faults: Faults): void {
  const { orphanDependents, propagationPolicy, dryRun = [] } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    faults.invalid("propagationPolicy", propagationPolicy, detail);
  }
  if (propagationPolicy !== undefined && !propagationPolicies.includes(propagationPolicy)) {
    faults.notSupported("propagationPolicy", propagationPolicy, [...propagationPolicies, "nil"]);
  }
  for (const [index, stage] of dryRun.entries()) {
    if (stage !== "All") faults.notSupported(`dryRun[${index}]`, stage, ["All"]);
  }
}
