import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const resourceQuotaRole: ControllerRole = {
  name: "system:controller:resourcequota-controller",
  rules: [policyRule("list watch", "*", "*"), policyRule("update", "core", "resourcequotas/status"), eventsPolicyRule],
};
