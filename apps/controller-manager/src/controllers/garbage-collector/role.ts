import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const garbageCollectorRole: ControllerRole = {
  name: "system:controller:generic-garbage-collector",
  rules: [policyRule("delete get list patch update watch", "*", "*"), eventsPolicyRule],
};
