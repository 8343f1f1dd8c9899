import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const resourceClaimRole: ControllerRole = {
  name: "system:controller:resource-claim-controller",
  rules: [
    policyRule("get list watch", "core", "pods"),
    policyRule("update", "core", "pods/finalizers"),
    policyRule("get list watch create delete", "resource.k8s.io", "resourceclaims"),
    policyRule("get list watch", "resource.k8s.io", "resourceclaimtemplates"),
    policyRule("update patch", "resource.k8s.io", "resourceclaims resourceclaims/status"),
    policyRule("update patch", "core", "pods/status"),
    eventsPolicyRule,
  ],
};
