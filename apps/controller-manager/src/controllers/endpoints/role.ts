import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const endpointsRole: ControllerRole = {
  name: "system:controller:endpoint-controller",
  rules: [
    policyRule("get list watch", "core", "pods services"),
    policyRule("create delete get list update", "core", "endpoints"),
    policyRule("create", "core", "endpoints/restricted"),
    eventsPolicyRule,
  ],
};
