import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

export const validatingAdmissionPolicies: ResourceType<ValidatingAdmissionPolicy> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  resource: "validatingadmissionpolicies",
  singular: "validatingadmissionpolicy",
  kind: "ValidatingAdmissionPolicy",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
};
