import { eventsPolicyRule, namedPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const bootstrapSignerRole: ControllerRole = {
  name: "system:controller:bootstrap-signer",
  inNamespace: {
    "kube-system": [policyRule("get list watch", "core", "secrets")],
    "kube-public": [
      policyRule("get list watch", "core", "configmaps"),
      namedPolicyRule("cluster-info", policyRule("update", "core", "configmaps")),
      eventsPolicyRule,
    ],
  },
};

export const tokenCleanerRole: ControllerRole = {
  name: "system:controller:token-cleaner",
  inNamespace: { "kube-system": [policyRule("delete get list watch", "core", "secrets"), eventsPolicyRule] },
};
