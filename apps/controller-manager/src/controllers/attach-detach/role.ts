import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const attachDetachRole: ControllerRole = {
  name: "system:controller:attachdetach-controller",
  rules: [
    policyRule("list watch", "core", "persistentvolumeclaims persistentvolumes"),
    policyRule("get list watch", "core", "nodes"),
    policyRule("get list patch update watch", "core", "nodes/status"),
    policyRule("list watch", "core", "pods"),
    policyRule("create delete get list watch", "storage.k8s.io", "volumeattachments"),
    policyRule("get list watch", "storage.k8s.io", "csidrivers csinodes"),
    eventsPolicyRule,
  ],
};
