import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const endpointSliceRole: ControllerRole = {
  name: "system:controller:endpointslice-controller",
  rules: [
    policyRule("get list watch", "core", "nodes pods services"),
    policyRule("update", "core", "services/finalizers"),
    policyRule("create delete get list update watch", "discovery.k8s.io", "endpointslices"),
    eventsPolicyRule,
  ],
};
