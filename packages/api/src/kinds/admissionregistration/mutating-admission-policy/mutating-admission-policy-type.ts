import type { ResourceType } from "../../../meta/resource-type.ts";
import type { MutatingAdmissionPolicy } from "./mutating-admission-policy.ts";

const names = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  singular: "mutatingadmissionpolicy",
  kind: "MutatingAdmissionPolicy",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};

/** Upstream serves v1 since 1.36, v1beta1 since 1.34 and v1alpha1 since 1.32. */
export const mutatingAdmissionPolicies: ResourceType<MutatingAdmissionPolicy> = { ...names, version: "v1" };
export const mutatingAdmissionPoliciesV1beta1: ResourceType<MutatingAdmissionPolicy> = { ...names, version: "v1beta1" };
export const mutatingAdmissionPoliciesV1alpha1: ResourceType<MutatingAdmissionPolicy> = {
  ...names,
  version: "v1alpha1",
};
