import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const cronJobRole: ControllerRole = {
  name: "system:controller:cronjob-controller",
  rules: [
    policyRule("get list watch", "batch", "cronjobs"),
    policyRule("create delete get list watch", "batch", "jobs"),
    policyRule("update", "batch", "cronjobs/status"),
    policyRule("update", "batch", "cronjobs/finalizers"),
    eventsPolicyRule,
  ],
};
