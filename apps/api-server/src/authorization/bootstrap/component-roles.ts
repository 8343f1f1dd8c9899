import {
  eventsPolicyRule as eventsRule,
  namedPolicyRule as named,
  type PolicyRule,
  policyRule as rule,
} from "@kintsugi/api";
import { all, read } from "./rule.ts";

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
    rule(read, "storage.k8s.io", "volumeattachments"),
    rule(read, "resource.k8s.io", "deviceclasses"),
    rule("get list patch update watch", "resource.k8s.io", "resourceclaims"),
    rule("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
    rule(read, "resource.k8s.io", "resourceslices"),
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

/**
 * Kintsugi's own: rules that services and nodes need in addition to upstream's. The rules of
 * controllers are in each controller's folder.
 */
export const ownRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  // kubeadm creates the same roles when it creates a token: kubeadm:get-nodes,
  // kubeadm:node-autoapprove-bootstrap and -certificate-rotation.
  "kintsugi:node-joiner": [
    rule("get", "core", "nodes"),
    rule("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
  ],
  "kintsugi:node-certificate-renewer": [
    rule("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
  ],
  // Upstream's provisioner and attacher have the same rules in their own manifests.
  "kintsugi:csi-controller": [
    eventsRule,
    ...leaderElectionRules("kintsugi-csi-controller"),
    rule("create delete get list update watch", "core", "persistentvolumes"),
    rule("get list update watch", "core", "persistentvolumeclaims"),
    rule("update", "core", "persistentvolumeclaims/status"),
    // Classes and volumes name the Secrets that their driver needs.
    rule("get", "core", "secrets"),
    rule(read, "core", "nodes"),
    rule(read, "storage.k8s.io", "storageclasses csinodes csidrivers"),
    rule("create delete get list update watch", "storage.k8s.io", "csistoragecapacities"),
    rule("get list update watch", "storage.k8s.io", "volumeattachments"),
    rule("update", "storage.k8s.io", "volumeattachments/status"),
    // The parts for snapshots and for VolumeAttributesClasses have their own Leases.
    ...leaderElectionRules("kintsugi-csi-controller-snapshots"),
    ...leaderElectionRules("kintsugi-csi-controller-modification"),
    rule(read, "storage.k8s.io", "volumeattributesclasses"),
    rule(read, "snapshot.storage.k8s.io", "volumesnapshotclasses"),
    rule("get list update watch", "snapshot.storage.k8s.io", "volumesnapshots"),
    rule("create delete get list update watch", "snapshot.storage.k8s.io", "volumesnapshotcontents"),
    rule("update", "snapshot.storage.k8s.io", "volumesnapshots/status volumesnapshotcontents/status"),
  ],
  // Upstream's controllers have the same rules in their own manifests.
  "kintsugi:ingress-controller": [
    eventsRule,
    rule(read, "core", "services secrets"),
    rule(read, "discovery.k8s.io", "endpointslices"),
    rule(read, "networking.k8s.io", "ingresses ingressclasses"),
    rule("patch", "networking.k8s.io", "ingresses/status"),
  ],
  // Upstream's providers have the same rules in their own manifests.
  "kintsugi:cloud-controller-manager": [
    eventsRule,
    ...leaderElectionRules("cloud-controller-manager"),
    rule("delete get list patch update watch", "core", "nodes"),
    rule("patch update", "core", "nodes/status"),
    rule("get list patch update watch", "core", "services"),
    rule("patch update", "core", "services/status"),
  ],
  // The rules of upstream's cluster-autoscaler chart that this autoscaler needs: it reads the same
  // objects as the scheduler, evicts pods, and writes its status.
  "kintsugi:cluster-autoscaler": [
    eventsRule,
    ...leaderElectionRules("cluster-autoscaler"),
    rule("get list patch update watch", "core", "nodes"),
    rule(read, "core", "pods namespaces persistentvolumeclaims persistentvolumes services replicationcontrollers"),
    rule("create", "core", "pods/eviction"),
    rule("create", "core", "configmaps"),
    named("cluster-autoscaler-status", rule("get update", "core", "configmaps")),
    rule(read, "apps", "daemonsets replicasets statefulsets"),
    rule(read, "policy", "poddisruptionbudgets"),
    rule(read, "storage.k8s.io", "storageclasses csinodes csidrivers csistoragecapacities volumeattachments"),
  ],
  "kintsugi:bus-user": [rule("create", "kintsugi.dev", "buscredentials")],
  // A machine that joined has only its node's identity, so its proxy reads endpoints with that
  // identity. Other roles of a node do not allow that; in upstream, system:node-proxier does.
  "kintsugi:node-proxier": [rule("list watch", "discovery.k8s.io", "endpointslices")],
  // Proxies enforce NetworkPolicies by the addresses and labels of all pods. A machine that joined
  // has its node's identity, which may not read all pods, so the machine does not enforce
  // NetworkPolicies.
  "kintsugi:network-policies": [
    rule("list watch", "core", "pods namespaces"),
    rule("list watch", "networking.k8s.io", "networkpolicies"),
  ],
  // Metrics collectors read the kubelet's port by this role.
  "kintsugi:node-metrics": [rule("get", "core", "nodes/metrics nodes/stats")],
};

function leaderElectionRules(leaseName: string): PolicyRule[] {
  return [
    rule("create", "coordination.k8s.io", "leases"),
    named(leaseName, rule("get update", "coordination.k8s.io", "leases")),
  ];
}
