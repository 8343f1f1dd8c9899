import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const jobRole: ControllerRole = {
  name: "system:controller:job-controller",
  rules: [
    policyRule("get list patch update watch", "batch", "jobs"),
    policyRule("update", "batch", "jobs/status"),
    policyRule("update", "batch", "jobs/finalizers"),
    policyRule("create delete get list patch watch", "core", "pods"),
    eventsPolicyRule,
  ],
};
