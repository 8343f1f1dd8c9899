import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const vacProtectionRole: ControllerRole = {
  name: "system:controller:volumeattributesclass-protection-controller",
  rules: [
    policyRule("list watch get", "core", "persistentvolumeclaims"),
    policyRule("list watch get", "core", "persistentvolumes"),
    policyRule("get list watch update", "storage.k8s.io", "volumeattributesclasses"),
    eventsPolicyRule,
  ],
};
