import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const serviceAccountRole: ControllerRole = {
  name: "system:controller:service-account-controller",
  rules: [policyRule("create", "core", "serviceaccounts"), eventsPolicyRule],
};
