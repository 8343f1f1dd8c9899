import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ValidatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

export const validatingAdmissionPolicyBindings: ResourceType<ValidatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  resource: "validatingadmissionpolicybindings",
  singular: "validatingadmissionpolicybinding",
  kind: "ValidatingAdmissionPolicyBinding",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};
