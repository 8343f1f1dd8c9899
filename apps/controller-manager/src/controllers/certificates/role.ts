import { eventsPolicyRule, namedPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

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
