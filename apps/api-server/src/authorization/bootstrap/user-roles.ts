import { type PolicyRule, policyRule as rule } from "@kintsugi/api";
import { all, read, readWrite, urlRule, write } from "./rule.ts";

// Roles for people. `admin`, `edit` and `view` are aggregated from the `aggregate-to` roles. Each
// role contains the next.

export const clusterAdminRules: readonly PolicyRule[] = [rule(all, "*", "*"), urlRule(all, "*")];

export const aggregateToAdminRules: readonly PolicyRule[] = [
  rule("create", "authorization.k8s.io", "localsubjectaccessreviews"),
  rule(readWrite, "rbac.authorization.k8s.io", "rolebindings roles"),
];

export const aggregateToEditRules: readonly PolicyRule[] = [
  rule(read, "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
  rule("impersonate", "core", "serviceaccounts"),
  rule(write, "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
  rule("create", "core", "pods/eviction"),
  rule(
    write,
    "core",
    "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
  ),
  rule("create", "core", "serviceaccounts/token"),
  rule(
    write,
    "apps",
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
  ),
  rule(write, "autoscaling", "horizontalpodautoscalers"),
  rule(write, "batch", "cronjobs jobs"),
  rule(
    write,
    "extensions",
    "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
  ),
  rule(write, "policy", "poddisruptionbudgets"),
  rule(write, "networking.k8s.io", "ingresses networkpolicies"),
  rule(write, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
  rule(readWrite, "coordination.k8s.io", "leases"),
];

export const aggregateToViewRules: readonly PolicyRule[] = [
  rule(
    read,
    "core",
    "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
  ),
  rule(
    read,
    "core",
    "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
  ),
  rule(read, "core", "namespaces"),
  rule(read, "discovery.k8s.io", "endpointslices"),
  rule(
    read,
    "apps",
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
  ),
  rule(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
  rule(read, "batch", "cronjobs cronjobs/status jobs jobs/status"),
  rule(
    read,
    "extensions",
    "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
  ),
  rule(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
  rule(read, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
  rule(read, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
];

export const basicUserRules: readonly PolicyRule[] = [
  rule("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
  rule("create", "authentication.k8s.io", "selfsubjectreviews"),
];

export const discoveryRules: readonly PolicyRule[] = [
  urlRule("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/"),
];

export const publicInfoViewerRules: readonly PolicyRule[] = [
  urlRule("get", "/healthz /livez /readyz /version /version/"),
];

/** Paths of the documents by which service account tokens are verified. */
export const issuerDiscoveryRules: readonly PolicyRule[] = [
  urlRule(
    "get",
    "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
  ),
];

export const monitoringRules: readonly PolicyRule[] = [
  urlRule("get", "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"),
];

/**
 * metrics-server's role of that name, in the order of its manifest and of kube-prometheus'. The
 * list of rules is atomic, so another order would be a conflict for clients that apply either
 * manifest server-side.
 */
export const metricsReaderRules: readonly PolicyRule[] = [rule(read, "metrics.k8s.io", "pods nodes")];

/** Every user may load the page, which reads the cluster with the user's own rights. */
export const dashboardRules: readonly PolicyRule[] = [urlRule("get", "/dashboard /dashboard/*")];

/** The command line and the dashboard read the history of nodes and pods by this rule. */
export const timelineRules: readonly PolicyRule[] = [rule(read, "kintsugi.dev", "timeline")];
