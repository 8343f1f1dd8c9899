import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

export const garbageCollectorRole: ControllerRole = {
  name: "system:controller:generic-garbage-collector",
  rules: [policyRule("delete get list patch update watch", "*", "*"), eventsPolicyRule],
};

export const namespaceRole: ControllerRole = {
  name: "system:controller:namespace-controller",
  rules: [
    policyRule("delete get list watch", "core", "namespaces"),
    policyRule("update", "core", "namespaces/finalize namespaces/status"),
    policyRule("delete deletecollection get list watch", "*", "*"),
  ],
};

export const podGcRole: ControllerRole = {
  name: "system:controller:pod-garbage-collector",
  rules: [
    policyRule("delete list watch", "core", "pods"),
    policyRule("get list watch", "core", "nodes"),
    policyRule("patch", "core", "pods/status"),
  ],
};

export const resourceQuotaRole: ControllerRole = {
  name: "system:controller:resourcequota-controller",
  rules: [policyRule("list watch", "*", "*"), policyRule("update", "core", "resourcequotas/status"), eventsPolicyRule],
};
