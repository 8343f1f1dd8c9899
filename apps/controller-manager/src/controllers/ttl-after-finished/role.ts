import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const ttlAfterFinishedRole: ControllerRole = {
  name: "system:controller:ttl-after-finished-controller",
  rules: [policyRule("delete get list watch", "batch", "jobs"), eventsPolicyRule],
};
