import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const rootCaRole: ControllerRole = {
  name: "system:controller:root-ca-cert-publisher",
  rules: [policyRule("create update", "core", "configmaps"), eventsPolicyRule],
};
