import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const disruptionRole: ControllerRole = {
  name: "system:controller:disruption-controller",
  rules: [
    policyRule("get list watch", "apps extensions", "deployments"),
    policyRule("get list watch", "apps extensions", "replicasets"),
    policyRule("get list watch", "core", "replicationcontrollers"),
    policyRule("get list watch", "policy", "poddisruptionbudgets"),
    policyRule("get list watch", "apps", "statefulsets"),
    policyRule("update", "policy", "poddisruptionbudgets/status"),
    policyRule("patch update", "core", "pods/status"),
    policyRule("get", "*", "*/scale"),
    eventsPolicyRule,
  ],
};
