import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const deviceTaintEvictionRole: ControllerRole = {
  name: "system:controller:device-taint-eviction-controller",
  rules: [
    policyRule("get list watch delete", "core", "pods"),
    policyRule("update patch", "core", "pods/status"),
    policyRule("get list watch", "resource.k8s.io", "resourceclaims resourceslices"),
    eventsPolicyRule,
  ],
};
