import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

export const deviceTaintEvictionRole: ControllerRole = {
  name: "system:controller:device-taint-eviction-controller",
  rules: [
    policyRule("get list watch delete", "core", "pods"),
    policyRule("update patch", "core", "pods/status"),
    policyRule("get list watch", "resource.k8s.io", "resourceclaims resourceslices"),
    eventsPolicyRule,
  ],
};

export const resourceClaimRole: ControllerRole = {
  name: "system:controller:resource-claim-controller",
  rules: [
    policyRule("get list watch", "core", "pods"),
    policyRule("update", "core", "pods/finalizers"),
    policyRule("get list watch create delete", "resource.k8s.io", "resourceclaims"),
    policyRule("get list watch", "resource.k8s.io", "resourceclaimtemplates"),
    policyRule("update patch", "resource.k8s.io", "resourceclaims resourceclaims/status"),
    policyRule("update patch", "core", "pods/status"),
    eventsPolicyRule,
  ],
};

/** Upstream's role of controllers that monitor nodes and their pods. */
export const nodeControllerRole: ControllerRole = {
  name: "system:controller:node-controller",
  rules: [
    policyRule("delete get list patch update watch", "core", "nodes"),
    policyRule("patch update", "core", "nodes/status"),
    policyRule("patch update", "core", "pods/status"),
    policyRule("delete get list watch", "core", "pods"),
    eventsPolicyRule,
  ],
};

/**
 * This project's role, because upstream's taint eviction deletes pods, and cannot respect
 * disruption budgets.
 */
export const podEvictionRole: ControllerRole = {
  name: "kintsugi:taint-eviction-controller",
  rules: [policyRule("create", "core", "pods/eviction"), policyRule("get", "coordination.k8s.io", "leases")],
};
