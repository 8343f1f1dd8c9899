import { type PolicyRule, policyRule as rule } from "@kintsugi/api";
import { read } from "./rule.ts";

/**
 * The rights of every node, before the node authorizer narrows them to the node's own objects. The
 * ClusterRole `system:node` has the same rights.
 */
export const nodeRules: readonly PolicyRule[] = [
  // A kubelet reviews the identity of its callers and their rights.
  rule("create", "authentication.k8s.io", "tokenreviews"),
  rule("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
  rule(read, "core", "services"),
  rule("create get list watch", "core", "nodes"),
  rule("patch update", "core", "nodes/status"),
  rule("patch update", "core", "nodes"),
  rule("create patch update", "core", "events"),
  rule(read, "core", "pods"),
  rule("create delete", "core", "pods"),
  rule("patch update", "core", "pods/status"),
  rule("create", "core", "pods/eviction"),
  rule(read, "core", "configmaps secrets"),
  rule("get", "core", "persistentvolumeclaims persistentvolumes"),
  rule("get", "core", "endpoints"),
  rule("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
  rule("create delete get patch update", "coordination.k8s.io", "leases"),
  rule("get", "storage.k8s.io", "volumeattachments"),
  rule("create", "core", "serviceaccounts/token"),
  rule("get patch update", "core", "persistentvolumeclaims/status"),
  rule(read, "storage.k8s.io", "csidrivers"),
  rule("create delete get patch update", "storage.k8s.io", "csinodes"),
  rule(read, "node.k8s.io", "runtimeclasses"),
  rule("get", "resource.k8s.io", "resourceclaims"),
  rule("deletecollection", "resource.k8s.io", "resourceslices"),
];
