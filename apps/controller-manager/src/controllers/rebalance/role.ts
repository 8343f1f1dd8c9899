import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

/**
 * This project's role: it evicts pods, so that disruption budgets apply, and stores its record on
 * their owners.
 */
export const rebalanceRole: ControllerRole = {
  name: "kintsugi:rebalance-controller",
  rules: [
    policyRule("list watch", "core", "nodes pods namespaces persistentvolumes persistentvolumeclaims"),
    policyRule("list watch", "storage.k8s.io", "storageclasses csinodes volumeattachments"),
    policyRule("list watch", "policy", "poddisruptionbudgets"),
    policyRule("list watch", "apps", "deployments"),
    policyRule("list patch watch", "apps", "replicasets statefulsets"),
    policyRule("list patch watch", "core", "replicationcontrollers"),
    policyRule("create", "core", "pods/eviction"),
    eventsPolicyRule,
  ],
};
