import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

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

export const ephemeralVolumeRole: ControllerRole = {
  name: "system:controller:ephemeral-volume-controller",
  rules: [
    policyRule("get list watch", "core", "pods"),
    policyRule("update", "core", "pods/finalizers"),
    policyRule("create get list watch", "core", "persistentvolumeclaims"),
    eventsPolicyRule,
  ],
};

export const persistentVolumeBinderRole: ControllerRole = {
  name: "system:controller:persistent-volume-binder",
  rules: [
    policyRule("get list update watch", "core", "persistentvolumes persistentvolumeclaims"),
    policyRule("update", "core", "persistentvolumes/status persistentvolumeclaims/status"),
    policyRule("get list watch", "storage.k8s.io", "storageclasses"),
    eventsPolicyRule,
  ],
};

export const pvProtectionRole: ControllerRole = {
  name: "system:controller:pv-protection-controller",
  rules: [policyRule("get list update watch", "core", "persistentvolumes"), eventsPolicyRule],
};

export const pvcProtectionRole: ControllerRole = {
  name: "system:controller:pvc-protection-controller",
  rules: [
    policyRule("get list update watch", "core", "persistentvolumeclaims"),
    policyRule("get list watch", "core", "pods"),
    eventsPolicyRule,
  ],
};

export const vacProtectionRole: ControllerRole = {
  name: "system:controller:volumeattributesclass-protection-controller",
  rules: [
    policyRule("list watch get", "core", "persistentvolumeclaims"),
    policyRule("list watch get", "core", "persistentvolumes"),
    policyRule("get list watch update", "storage.k8s.io", "volumeattributesclasses"),
    eventsPolicyRule,
  ],
};
