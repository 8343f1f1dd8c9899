import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

export const endpointSliceRole: ControllerRole = {
  name: "system:controller:endpointslice-controller",
  rules: [
    policyRule("get list watch", "core", "nodes pods services"),
    policyRule("update", "core", "services/finalizers"),
    policyRule("create delete get list update watch", "discovery.k8s.io", "endpointslices"),
    eventsPolicyRule,
  ],
};

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

export const endpointsRole: ControllerRole = {
  name: "system:controller:endpoint-controller",
  rules: [
    policyRule("get list watch", "core", "pods services"),
    policyRule("create delete get list update", "core", "endpoints"),
    policyRule("create", "core", "endpoints/restricted"),
    eventsPolicyRule,
  ],
};

export const serviceCidrsRole: ControllerRole = {
  name: "system:controller:service-cidrs-controller",
  rules: [
    policyRule("get list patch update watch", "networking.k8s.io", "servicecidrs"),
    policyRule("patch update", "networking.k8s.io", "servicecidrs/finalizers servicecidrs/status"),
    policyRule("get list watch", "networking.k8s.io", "ipaddresses"),
    eventsPolicyRule,
  ],
};
