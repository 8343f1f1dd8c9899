import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const pvProtectionRole: ControllerRole = {
  name: "system:controller:pv-protection-controller",
  rules: [policyRule("get list update watch", "core", "persistentvolumes"), eventsPolicyRule],
};
