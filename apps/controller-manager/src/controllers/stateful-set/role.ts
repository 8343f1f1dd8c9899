import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

/**
 * Upstream's role, and read access to nodes, on which pods that cannot be replaced yet may still
 * run.
 */
export const statefulSetRole: ControllerRole = {
  name: "system:controller:statefulset-controller",
  rules: [
    policyRule("list watch", "core", "pods nodes"),
    policyRule("get list watch", "apps", "statefulsets"),
    policyRule("update", "apps", "statefulsets/status"),
    policyRule("update", "apps", "statefulsets/finalizers"),
    policyRule("update", "core", "pods/finalizers"),
    policyRule("create delete get patch update", "core", "pods"),
    policyRule("create delete get list patch update watch", "apps", "controllerrevisions"),
    policyRule("create get list patch update watch", "core", "persistentvolumeclaims"),
    eventsPolicyRule,
  ],
};
