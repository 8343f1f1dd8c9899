import type { PolicyRule } from "@kintsugi/api";
import { all, eventsRule, named, read, readUpdate, rule } from "./rule.ts";

/** Roles of the services, by name. */
export const componentRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  "system:auth-delegator": [
    rule("create", "authentication.k8s.io", "tokenreviews"),
    rule("create", "authorization.k8s.io", "subjectaccessreviews"),
  ],
  "system:kube-controller-manager": [
    eventsRule,
    ...leaderElectionRules("kube-controller-manager"),
    rule("create", "core", "secrets serviceaccounts"),
    rule("delete", "core", "secrets"),
    rule("get", "core", "configmaps namespaces secrets serviceaccounts"),
    rule("update", "core", "secrets serviceaccounts"),
    rule("create", "authentication.k8s.io", "tokenreviews"),
    rule("create", "authorization.k8s.io", "subjectaccessreviews"),
    rule("list watch", "*", "*"),
    rule("create", "core", "serviceaccounts/token"),
  ],
  "system:kube-dns": [
    rule("list watch", "core", "endpoints services"),
    rule("list watch", "discovery.k8s.io", "endpointslices"),
  ],
  "system:kube-scheduler": [
    eventsRule,
    ...leaderElectionRules("kube-scheduler"),
    rule(read, "core", "nodes"),
    rule("delete get list watch", "core", "pods"),
    rule("create", "core", "bindings pods/binding"),
    rule("patch update", "core", "pods/status"),
    rule(read, "core", "replicationcontrollers services"),
    rule(read, "apps extensions", "replicasets"),
    rule(read, "apps", "statefulsets"),
    rule(read, "policy", "poddisruptionbudgets"),
    rule(read, "core", "persistentvolumeclaims persistentvolumes"),
    rule("create", "authentication.k8s.io", "tokenreviews"),
    rule("create", "authorization.k8s.io", "subjectaccessreviews"),
    rule(read, "storage.k8s.io", "csinodes"),
    rule(read, "core", "namespaces"),
    rule(read, "storage.k8s.io", "csidrivers"),
    rule(read, "storage.k8s.io", "csistoragecapacities"),
  ],
  "system:kubelet-api-admin": [
    rule(read, "core", "nodes"),
    rule("proxy", "core", "nodes"),
    rule(all, "core", "nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats"),
  ],
  "system:node-bootstrapper": [rule("create get list watch", "certificates.k8s.io", "certificatesigningrequests")],
  "system:node-problem-detector": [rule("get", "core", "nodes"), rule("patch", "core", "nodes/status"), eventsRule],
  "system:node-proxier": [
    rule("list watch", "core", "endpoints services"),
    rule(read, "core", "nodes"),
    eventsRule,
    rule("list watch", "discovery.k8s.io", "endpointslices"),
  ],
  "system:volume-scheduler": [
    rule("get list patch update watch", "core", "persistentvolumes"),
    rule(read, "storage.k8s.io", "storageclasses"),
    rule("get list patch update watch", "core", "persistentvolumeclaims"),
  ],
};

/** Roles of the controllers that run here, by the name that follows `system:controller:`. */
export const controllerRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  "certificate-controller": [
    rule("delete get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    rule("update", "certificates.k8s.io", "certificatesigningrequests/approval certificatesigningrequests/status"),
    named(
      "kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving",
      rule("approve", "certificates.k8s.io", "signers"),
    ),
    named(
      "kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving",
      rule("sign", "certificates.k8s.io", "signers"),
    ),
    rule("create", "authorization.k8s.io", "subjectaccessreviews"),
    eventsRule,
  ],
  "deployment-controller": [
    rule(readUpdate, "apps extensions", "deployments"),
    rule("update", "apps extensions", "deployments/status"),
    rule("update", "apps extensions", "deployments/finalizers"),
    rule("create delete get list patch update watch", "apps extensions", "replicasets"),
    rule(readUpdate, "core", "pods"),
    eventsRule,
  ],
  "disruption-controller": [
    rule(read, "apps extensions", "deployments"),
    rule(read, "apps extensions", "replicasets"),
    rule(read, "core", "replicationcontrollers"),
    rule(read, "policy", "poddisruptionbudgets"),
    rule(read, "apps", "statefulsets"),
    rule("update", "policy", "poddisruptionbudgets/status"),
    rule("patch update", "core", "pods/status"),
    rule("get", "*", "*/scale"),
    eventsRule,
  ],
  "endpoint-controller": [
    rule(read, "core", "pods services"),
    rule("create delete get list update", "core", "endpoints"),
    rule("create", "core", "endpoints/restricted"),
    eventsRule,
  ],
  "endpointslice-controller": [
    rule(read, "core", "nodes pods services"),
    rule("update", "core", "services/finalizers"),
    rule("create delete get list update watch", "discovery.k8s.io", "endpointslices"),
    eventsRule,
  ],
  "generic-garbage-collector": [rule("delete get list patch update watch", "*", "*"), eventsRule],
  "namespace-controller": [
    rule("delete get list watch", "core", "namespaces"),
    rule("update", "core", "namespaces/finalize namespaces/status"),
    rule("delete deletecollection get list watch", "*", "*"),
  ],
  "node-controller": [
    rule("delete get list patch update watch", "core", "nodes"),
    rule("patch update", "core", "nodes/status"),
    rule("patch update", "core", "pods/status"),
    rule("delete get list watch", "core", "pods"),
    eventsRule,
  ],
  "pod-garbage-collector": [
    rule("delete list watch", "core", "pods"),
    rule(read, "core", "nodes"),
    rule("patch", "core", "pods/status"),
  ],
  "replicaset-controller": [
    rule(readUpdate, "apps extensions", "replicasets"),
    rule("update", "apps extensions", "replicasets/status"),
    rule("update", "apps extensions", "replicasets/finalizers"),
    rule("create delete list patch watch", "core", "pods"),
    eventsRule,
  ],
  "root-ca-cert-publisher": [rule("create update", "core", "configmaps"), eventsRule],
  "service-account-controller": [rule("create", "core", "serviceaccounts"), eventsRule],
};

/** Ours: what the services need beyond upstream's, because taint eviction can respect budgets and the bus needs credentials. */
export const ownRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  // kubeadm makes the same when it makes a token: kubeadm:get-nodes, kubeadm:node-autoapprove-bootstrap and -certificate-rotation.
  "kintsugi:node-joiner": [
    rule("get", "core", "nodes"),
    rule("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
  ],
  "kintsugi:node-certificate-renewer": [
    rule("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
  ],
  "kintsugi:bus-user": [rule("create", "kintsugi.dev", "buscredentials")],
  // A machine that joined has its node's identity and no other: with that its proxy reads what system:node-proxier may, and a node may not.
  "kintsugi:node-proxier": [rule("list watch", "discovery.k8s.io", "endpointslices")],
  // What the kubelet's port tells of a node, for who collects metrics.
  "kintsugi:node-metrics": [rule("get", "core", "nodes/metrics nodes/stats")],
  "kintsugi:taint-eviction-controller": [
    rule("create", "core", "pods/eviction"),
    rule("get", "coordination.k8s.io", "leases"),
  ],
};

function leaderElectionRules(leaseName: string): PolicyRule[] {
  return [
    rule("create", "coordination.k8s.io", "leases"),
    named(leaseName, rule("get update", "coordination.k8s.io", "leases")),
  ];
}
