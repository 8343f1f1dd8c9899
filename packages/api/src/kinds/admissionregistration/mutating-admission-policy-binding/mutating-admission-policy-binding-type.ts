import type { ResourceType } from "../../../meta/resource-type.ts";
import type { MutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding.ts";

const names = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicybindings",
  singular: "mutatingadmissionpolicybinding",
  kind: "MutatingAdmissionPolicyBinding",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};

/** Upstream serves v1 since 1.36, v1beta1 since 1.34 and v1alpha1 since 1.32. */
export const mutatingAdmissionPolicyBindings: ResourceType<MutatingAdmissionPolicyBinding> = {
  ...names,
  version: "v1",
};
export const mutatingAdmissionPolicyBindingsV1beta1: ResourceType<MutatingAdmissionPolicyBinding> = {
  ...names,
  version: "v1beta1",
};
export const mutatingAdmissionPolicyBindingsV1alpha1: ResourceType<MutatingAdmissionPolicyBinding> = {
  ...names,
  version: "v1alpha1",
};
