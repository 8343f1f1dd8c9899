import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const daemonSetRole: ControllerRole = {
  name: "system:controller:daemon-set-controller",
  rules: [
    policyRule("get list watch", "apps extensions", "daemonsets"),
    policyRule("update", "apps extensions", "daemonsets/status"),
    policyRule("update", "apps extensions", "daemonsets/finalizers"),
    policyRule("list watch", "core", "nodes"),
    policyRule("create delete get list patch watch", "core", "pods"),
    policyRule("create delete get list patch update watch", "apps", "controllerrevisions"),
    eventsPolicyRule,
  ],
};
