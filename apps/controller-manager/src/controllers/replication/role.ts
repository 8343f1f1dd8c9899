import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const replicationRole: ControllerRole = {
  name: "system:controller:replication-controller",
  rules: [
    policyRule("get list update watch", "core", "replicationcontrollers"),
    policyRule("update", "core", "replicationcontrollers/status"),
    policyRule("update", "core", "replicationcontrollers/finalizers"),
    policyRule("create delete list patch watch", "core", "pods"),
    eventsPolicyRule,
  ],
};
