import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const pvcProtectionRole: ControllerRole = {
  name: "system:controller:pvc-protection-controller",
  rules: [
    policyRule("get list update watch", "core", "persistentvolumeclaims"),
    policyRule("get list watch", "core", "pods"),
    eventsPolicyRule,
  ],
};
