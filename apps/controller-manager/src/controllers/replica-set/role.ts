import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const replicaSetRole: ControllerRole = {
  name: "system:controller:replicaset-controller",
  rules: [
    policyRule("get list update watch", "apps extensions", "replicasets"),
    policyRule("update", "apps extensions", "replicasets/status"),
    policyRule("update", "apps extensions", "replicasets/finalizers"),
    policyRule("create delete list patch watch", "core", "pods"),
    eventsPolicyRule,
  ],
};
