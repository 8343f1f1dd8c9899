import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const ephemeralVolumeRole: ControllerRole = {
  name: "system:controller:ephemeral-volume-controller",
  rules: [
    policyRule("get list watch", "core", "pods"),
    policyRule("update", "core", "pods/finalizers"),
    policyRule("create get list watch", "core", "persistentvolumeclaims"),
    eventsPolicyRule,
  ],
};
