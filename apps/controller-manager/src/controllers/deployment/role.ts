import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const deploymentRole: ControllerRole = {
  name: "system:controller:deployment-controller",
  rules: [
    policyRule("get list update watch", "apps extensions", "deployments"),
    policyRule("update", "apps extensions", "deployments/status"),
    policyRule("update", "apps extensions", "deployments/finalizers"),
    policyRule("create delete get list patch update watch", "apps extensions", "replicasets"),
    policyRule("get list update watch", "core", "pods"),
    eventsPolicyRule,
  ],
};
