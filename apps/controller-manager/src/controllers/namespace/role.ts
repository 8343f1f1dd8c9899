import { policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const namespaceRole: ControllerRole = {
  name: "system:controller:namespace-controller",
  rules: [
    policyRule("delete get list watch", "core", "namespaces"),
    policyRule("update", "core", "namespaces/finalize namespaces/status"),
    policyRule("delete deletecollection get list watch", "*", "*"),
  ],
};
