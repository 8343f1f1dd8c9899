import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

export const cronJobRole: ControllerRole = {
  name: "system:controller:cronjob-controller",
  rules: [
    policyRule("get list watch", "batch", "cronjobs"),
    policyRule("create delete get list watch", "batch", "jobs"),
    policyRule("update", "batch", "cronjobs/status"),
    policyRule("update", "batch", "cronjobs/finalizers"),
    eventsPolicyRule,
  ],
};

export const daemonSetRole: ControllerRole = {
  name: "system:controller:daemon-set-controller",
  rules: [
    policyRule("get list watch", "apps extensions", "daemonsets"),
    policyRule("update", "apps extensions", "daemonsets/status"),
    policyRule("update", "apps extensions", "daemonsets/finalizers"),
    policyRule("list watch", "core", "nodes"),
    policyRule("create delete get list patch watch", "core", "pods"),
    policyRule("create delete get list patch update watch", "apps", "controllerrevisions"),
    eventsPolicyRule,
  ],
};

export const deploymentRole: ControllerRole = {
  name: "system:controller:deployment-controller",
  rules: [
    policyRule("get list update watch", "apps extensions", "deployments"),
    policyRule("update", "apps extensions", "deployments/status"),
    policyRule("update", "apps extensions", "deployments/finalizers"),
    policyRule("create delete get list patch update watch", "apps extensions", "replicasets"),
    policyRule("get list update watch", "core", "pods"),
    eventsPolicyRule,
  ],
};

export const disruptionRole: ControllerRole = {
  name: "system:controller:disruption-controller",
  rules: [
    policyRule("get list watch", "apps extensions", "deployments"),
    policyRule("get list watch", "apps extensions", "replicasets"),
    policyRule("get list watch", "core", "replicationcontrollers"),
    policyRule("get list watch", "policy", "poddisruptionbudgets"),
    policyRule("get list watch", "apps", "statefulsets"),
    policyRule("update", "policy", "poddisruptionbudgets/status"),
    policyRule("patch update", "core", "pods/status"),
    policyRule("get", "*", "*/scale"),
    eventsPolicyRule,
  ],
};

export const horizontalPodAutoscalerRole: ControllerRole = {
  name: "system:controller:horizontal-pod-autoscaler",
  rules: [
    policyRule("get list watch", "autoscaling", "horizontalpodautoscalers"),
    policyRule("update", "autoscaling", "horizontalpodautoscalers/status"),
    policyRule("get update", "*", "*/scale"),
    policyRule("get list watch", "core", "pods"),
    policyRule("list", "metrics.k8s.io", "pods"),
    policyRule("get list", "custom.metrics.k8s.io", "*"),
    policyRule("get list", "external.metrics.k8s.io", "*"),
    eventsPolicyRule,
  ],
};

export const jobRole: ControllerRole = {
  name: "system:controller:job-controller",
  rules: [
    policyRule("get list patch update watch", "batch", "jobs"),
    policyRule("update", "batch", "jobs/status"),
    policyRule("update", "batch", "jobs/finalizers"),
    policyRule("create delete get list patch watch", "core", "pods"),
    eventsPolicyRule,
  ],
};

/**
 * This project's role, with which the controller evicts pods, so that disruption budgets apply, and
 * stores its record on the pods' owners.
 */
export const rebalanceRole: ControllerRole = {
  name: "kintsugi:rebalance-controller",
  rules: [
    policyRule("list watch", "core", "nodes pods namespaces persistentvolumes persistentvolumeclaims"),
    policyRule("list watch", "storage.k8s.io", "storageclasses csinodes volumeattachments"),
    policyRule("list watch", "policy", "poddisruptionbudgets"),
    policyRule("list watch", "apps", "deployments"),
    policyRule("list patch watch", "apps", "replicasets statefulsets"),
    policyRule("list patch watch", "core", "replicationcontrollers"),
    policyRule("create", "core", "pods/eviction"),
    eventsPolicyRule,
  ],
};

export const replicaSetRole: ControllerRole = {
  name: "system:controller:replicaset-controller",
  rules: [
    policyRule("get list update watch", "apps extensions", "replicasets"),
    policyRule("update", "apps extensions", "replicasets/status"),
    policyRule("update", "apps extensions", "replicasets/finalizers"),
    policyRule("create delete list patch watch", "core", "pods"),
    eventsPolicyRule,
  ],
};

export const replicationRole: ControllerRole = {
  name: "system:controller:replication-controller",
  rules: [
    policyRule("get list update watch", "core", "replicationcontrollers"),
    policyRule("update", "core", "replicationcontrollers/status"),
    policyRule("update", "core", "replicationcontrollers/finalizers"),
    policyRule("create delete list patch watch", "core", "pods"),
    eventsPolicyRule,
  ],
};

/**
 * Upstream's role, and read access to nodes, because a node may still run pods that cannot be
 * replaced yet.
 */
export const statefulSetRole: ControllerRole = {
  name: "system:controller:statefulset-controller",
  rules: [
    policyRule("list watch", "core", "pods nodes"),
    policyRule("get list watch", "apps", "statefulsets"),
    policyRule("update", "apps", "statefulsets/status"),
    policyRule("update", "apps", "statefulsets/finalizers"),
    policyRule("update", "core", "pods/finalizers"),
    policyRule("create delete get patch update", "core", "pods"),
    policyRule("create delete get list patch update watch", "apps", "controllerrevisions"),
    policyRule("create get list patch update watch", "core", "persistentvolumeclaims"),
    eventsPolicyRule,
  ],
};

export const ttlAfterFinishedRole: ControllerRole = {
  name: "system:controller:ttl-after-finished-controller",
  rules: [policyRule("delete get list watch", "batch", "jobs"), eventsPolicyRule],
};
