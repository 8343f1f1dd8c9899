import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const endpointSliceMirroringRole: ControllerRole = {
  name: "system:controller:endpointslicemirroring-controller",
  rules: [
    policyRule("get list watch", "core", "endpoints services"),
    policyRule("update", "core", "endpoints/finalizers services/finalizers"),
    policyRule("create delete get list update watch", "discovery.k8s.io", "endpointslices"),
    policyRule("create", "discovery.k8s.io", "endpointslices/restricted"),
    eventsPolicyRule,
  ],
};
