import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

/** Upstream's controller has the rights of the whole controller-manager. */
export const serviceAccountTokenRole: ControllerRole = {
  name: "kintsugi:service-account-token-controller",
  rules: [
    policyRule("get list watch", "core", "serviceaccounts"),
    policyRule("delete get list update watch", "core", "secrets"),
    eventsPolicyRule,
  ],
};
