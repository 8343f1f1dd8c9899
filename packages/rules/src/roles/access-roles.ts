import { eventsPolicyRule, namedPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

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

export const certificateRole: ControllerRole = {
  name: "system:controller:certificate-controller",
  rules: [
    policyRule("delete get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    policyRule(
      "update",
      "certificates.k8s.io",
      "certificatesigningrequests/approval certificatesigningrequests/status",
    ),
    namedPolicyRule(
      "kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving",
      policyRule("approve", "certificates.k8s.io", "signers"),
    ),
    namedPolicyRule(
      "kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving",
      policyRule("sign", "certificates.k8s.io", "signers"),
    ),
    policyRule("create", "authorization.k8s.io", "subjectaccessreviews"),
    eventsPolicyRule,
  ],
};

/** The verb `escalate` lets the controller write permissions that it does not have itself. */
export const clusterRoleAggregationRole: ControllerRole = {
  name: "system:controller:clusterrole-aggregation-controller",
  rules: [policyRule("escalate get list patch update watch", "rbac.authorization.k8s.io", "clusterroles")],
};

export const rootCaRole: ControllerRole = {
  name: "system:controller:root-ca-cert-publisher",
  rules: [policyRule("create update", "core", "configmaps"), eventsPolicyRule],
};

export const serviceAccountRole: ControllerRole = {
  name: "system:controller:service-account-controller",
  rules: [policyRule("create", "core", "serviceaccounts"), eventsPolicyRule],
};

/** Upstream's controller has the rights of the whole controller-manager. */
export const serviceAccountTokenRole: ControllerRole = {
  name: "kintsugi:service-account-token-controller",
  rules: [
    policyRule("get list watch", "core", "serviceaccounts"),
    policyRule("delete get list update watch", "core", "secrets"),
    eventsPolicyRule,
  ],
};
