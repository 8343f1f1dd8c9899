import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const persistentVolumeBinderRole: ControllerRole = {
  name: "system:controller:persistent-volume-binder",
  rules: [
    policyRule("get list update watch", "core", "persistentvolumes persistentvolumeclaims"),
    policyRule("update", "core", "persistentvolumes/status persistentvolumeclaims/status"),
    policyRule("get list watch", "storage.k8s.io", "storageclasses"),
    eventsPolicyRule,
  ],
};
