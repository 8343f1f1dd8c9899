import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const serviceCidrsRole: ControllerRole = {
  name: "system:controller:service-cidrs-controller",
  rules: [
    policyRule("get list patch update watch", "networking.k8s.io", "servicecidrs"),
    policyRule("patch update", "networking.k8s.io", "servicecidrs/finalizers servicecidrs/status"),
    policyRule("get list watch", "networking.k8s.io", "ipaddresses"),
    eventsPolicyRule,
  ],
};
