import { type JsonObject, namedPolicyRule as named, type PolicyRule, policyRule as rule } from "@kintsugi/api";
import { type ControllerRole, controllerRoles } from "@kintsugi/rules";
import { componentRoles, ownRoles } from "./component-roles.ts";
import { nodeRules } from "./node-rules.ts";
import { read } from "./rule.ts";
import {
  aggregateToAdminRules,
  aggregateToEditRules,
  aggregateToViewRules,
  basicUserRules,
  dashboardRules,
  clusterAdminRules,
  discoveryRules,
  issuerDiscoveryRules,
  monitoringRules,
  publicInfoViewerRules,
  metricsReaderRules,
  timelineRules,
} from "./user-roles.ts";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;
const controllerManager = "system:kube-controller-manager";
const scheduler = "system:kube-scheduler";
const csiController = "kintsugi:csi-controller";
const ingressController = "kintsugi:ingress-controller";
const cloudControllerManager = "kintsugi:cloud-controller-manager";
const clusterAutoscaler = "kintsugi:cluster-autoscaler";

const upstreamPrefix = "system:controller:";
const byName = controllerRoles.toSorted((a, b) => (a.name < b.name ? -1 : 1));
const upstreamControllerRoles = byName.filter(({ name }) => name.startsWith(upstreamPrefix));
const ownControllerRoles = byName.filter(({ name }) => !name.startsWith(upstreamPrefix));

/**
 * The initial roles and bindings of every cluster, as in upstream 1.33 (bootstrappolicy). Two
 * differences: `admin`, `edit` and `view` already contain their aggregated rules, and the roles of
 * controllers are also bound to the user system:kube-controller-manager, because one process with
 * one certificate runs all controllers here.
 */
export function bootstrapPolicy(): readonly JsonObject[] {
  return [...clusterRoles(), ...clusterRoleBindings(), ...namespaceRoles(), ...namespaceRoleBindings()];
}

function clusterRoles(): JsonObject[] {
  const view = [...aggregateToViewRules, ...timelineRules, ...metricsReaderRules];
  const edit = [...aggregateToEditRules, ...view];
  return [
    clusterRole("cluster-admin", clusterAdminRules),
    aggregatedRole("admin", [], [...aggregateToAdminRules, ...edit]),
    aggregatedRole("edit", ["admin"], edit),
    aggregatedRole("view", ["edit"], view),
    clusterRole("system:aggregate-to-admin", aggregateToAdminRules, ["admin"]),
    clusterRole("system:aggregate-to-edit", aggregateToEditRules, ["edit"]),
    clusterRole("system:aggregate-to-view", aggregateToViewRules, ["view"]),
    clusterRole("kintsugi:aggregate-to-view", timelineRules, ["view"]),
    clusterRole("kintsugi:dashboard", dashboardRules),
    clusterRole("system:aggregated-metrics-reader", metricsReaderRules, ["view", "edit", "admin"]),
    clusterRole("system:basic-user", basicUserRules),
    clusterRole("system:discovery", discoveryRules),
    clusterRole("system:public-info-viewer", publicInfoViewerRules),
    clusterRole("system:monitoring", monitoringRules),
    clusterRole("system:service-account-issuer-discovery", issuerDiscoveryRules),
    clusterRole("system:node", nodeRules),
    ...Object.entries({ ...componentRoles, ...ownRoles }).map(([name, rules]) => clusterRole(name, rules)),
    ...[...ownControllerRoles, ...upstreamControllerRoles].flatMap(({ name, rules }) =>
      rules === undefined ? [] : [clusterRole(name, rules)],
    ),
  ];
}

function clusterRoleBindings(): JsonObject[] {
  const everybody = [groupSubject("system:authenticated"), groupSubject("system:unauthenticated")];
  return [
    clusterRoleBinding("cluster-admin", [groupSubject("system:masters")]),
    clusterRoleBinding("system:basic-user", [groupSubject("system:authenticated")]),
    clusterRoleBinding("system:discovery", [groupSubject("system:authenticated")]),
    clusterRoleBinding("system:public-info-viewer", everybody),
    clusterRoleBinding("system:monitoring", [groupSubject("system:monitoring")]),
    clusterRoleBinding("system:service-account-issuer-discovery", [groupSubject("system:serviceaccounts")]),
    clusterRoleBinding(controllerManager, [userSubject(controllerManager)]),
    clusterRoleBinding(scheduler, [userSubject(scheduler)]),
    clusterRoleBinding("system:volume-scheduler", [userSubject(scheduler)]),
    clusterRoleBinding("system:kube-dns", [serviceAccountSubject("kube-dns")]),
    clusterRoleBinding("system:node-proxier", [userSubject("system:kube-proxy")]),
    // The binding has no subjects, because the graph of their pods authorizes nodes. It exists for
    // older tools that look it up.
    clusterRoleBinding("system:node", []),
    clusterRoleBinding("system:node-bootstrapper", [groupSubject("system:bootstrappers")]),
    clusterRoleBinding("kintsugi:dashboard", [groupSubject("system:authenticated")]),
    clusterRoleBinding("kintsugi:node-joiner", [groupSubject("system:bootstrappers")]),
    clusterRoleBinding("kintsugi:node-certificate-renewer", [groupSubject("system:nodes")]),
    clusterRoleBinding("kintsugi:node-proxier", [groupSubject("system:nodes")]),
    clusterRoleBinding("kintsugi:network-policies", [userSubject("system:kube-proxy")]),
    ...ownControllerRoles.flatMap(controllerBinding),
    // Upstream leaves this binding to the cluster's installer. Kubelets review the server's access
    // for every log and every stream.
    clusterRoleBinding("system:kubelet-api-admin", [userSubject("kube-apiserver-kubelet-client")]),
    clusterRoleBinding("kintsugi:node-metrics", [groupSubject("system:monitoring")]),
    clusterRoleBinding("kintsugi:bus-user", [
      groupSubject("system:nodes"),
      userSubject(controllerManager),
      userSubject(scheduler),
      userSubject("system:kube-proxy"),
    ]),
    clusterRoleBinding(csiController, [userSubject(csiController)]),
    clusterRoleBinding(ingressController, [userSubject(ingressController)]),
    clusterRoleBinding(cloudControllerManager, [userSubject(cloudControllerManager)]),
    clusterRoleBinding(clusterAutoscaler, [userSubject(clusterAutoscaler)]),
    ...upstreamControllerRoles.flatMap(controllerBinding),
  ];
}

function namespaceRoles(): JsonObject[] {
  const leases = rule("create get list update watch", "coordination.k8s.io", "leases");
  const leaseCandidates = rule("create get list update watch", "coordination.k8s.io", "leasecandidates");
  const authentication = named("extension-apiserver-authentication", rule(read, "core", "configmaps"));
  return [
    systemRole("extension-apiserver-authentication-reader", [authentication]),
    systemRole("system::leader-locking-kube-controller-manager", [leases, leaseCandidates]),
    systemRole("system::leader-locking-kube-scheduler", [leases, leaseCandidates]),
    ...eachNamespaceRole(({ name, namespace, rules }) => inNamespace(namespace, systemRole(name, rules))),
    inNamespace(
      "kube-public",
      systemRole("kintsugi:cluster-info", [named("cluster-info", rule("get", "core", "configmaps"))]),
    ),
  ];
}

function namespaceRoleBindings(): JsonObject[] {
  return [
    systemRoleBinding(
      "system::extension-apiserver-authentication-reader",
      "extension-apiserver-authentication-reader",
      [userSubject(controllerManager), userSubject(scheduler)],
    ),
    systemRoleBinding(
      "system::leader-locking-kube-controller-manager",
      "system::leader-locking-kube-controller-manager",
      [userSubject(controllerManager), serviceAccountSubject("kube-controller-manager")],
    ),
    systemRoleBinding("system::leader-locking-kube-scheduler", "system::leader-locking-kube-scheduler", [
      userSubject(scheduler),
      serviceAccountSubject("kube-scheduler"),
    ]),
    ...eachNamespaceRole(({ name, namespace }) =>
      inNamespace(namespace, systemRoleBinding(name, name, controllerSubjects(name))),
    ),
    inNamespace(
      "kube-public",
      systemRoleBinding("kintsugi:cluster-info", "kintsugi:cluster-info", [userSubject("system:anonymous")]),
    ),
  ];
}

/** Calls `make` for each role of a controller that is limited to a namespace. */
function eachNamespaceRole(
  make: (role: { name: string; namespace: string; rules: readonly PolicyRule[] }) => JsonObject,
): JsonObject[] {
  return ["kube-system", "kube-public"].flatMap((namespace) =>
    byName.flatMap(({ name, inNamespace: limited }) => {
      const rules = limited?.[namespace];
      return rules === undefined ? [] : [make({ name, namespace, rules })];
    }),
  );
}

function controllerBinding({ name, rules }: ControllerRole): JsonObject[] {
  return rules === undefined ? [] : [clusterRoleBinding(name, controllerSubjects(name))];
}

/**
 * Each of upstream's controllers has its own service account; here one process with one certificate
 * runs all controllers.
 */
function controllerSubjects(name: string): JsonObject[] {
  const accounts = name.startsWith(upstreamPrefix) ? [serviceAccountSubject(name.slice(upstreamPrefix.length))] : [];
  return [...accounts, userSubject(controllerManager)];
}

function clusterRole(name: string, rules: readonly PolicyRule[], aggregatedTo: readonly string[] = []): JsonObject {
  return { apiVersion, kind: "ClusterRole", metadata: metadataOf(name, aggregatedTo), rules: rules.map(plainRule) };
}

function aggregatedRole(name: string, aggregatedTo: readonly string[], rules: readonly PolicyRule[]): JsonObject {
  const selector = { matchLabels: { [aggregationLabel(name)]: "true" } };
  return { ...clusterRole(name, rules, aggregatedTo), aggregationRule: { clusterRoleSelectors: [selector] } };
}

function clusterRoleBinding(roleName: string, subjects: JsonObject[]): JsonObject {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name: roleName };
  return { apiVersion, kind: "ClusterRoleBinding", metadata: metadataOf(roleName), roleRef, subjects };
}

/** Copies the role or binding to another namespace. */
function inNamespace(namespace: string, object: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), namespace } };
}

function systemRole(name: string, rules: readonly PolicyRule[]): JsonObject {
  const metadata = { ...metadataOf(name), namespace: "kube-system" };
  return { apiVersion, kind: "Role", metadata, rules: rules.map(plainRule) };
}

function systemRoleBinding(name: string, roleName: string, subjects: JsonObject[]): JsonObject {
  const metadata = { ...metadataOf(name), namespace: "kube-system" };
  const roleRef = { apiGroup: group, kind: "Role", name: roleName };
  return { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects };
}

function metadataOf(name: string, aggregatedTo: readonly string[] = []): JsonObject {
  const aggregation = aggregatedTo.map((role): [string, string] => [aggregationLabel(role), "true"]);
  return {
    name,
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...Object.fromEntries(aggregation) },
  };
}

function aggregationLabel(role: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}

function userSubject(name: string): JsonObject {
  return { apiGroup: group, kind: "User", name };
}

function groupSubject(name: string): JsonObject {
  return { apiGroup: group, kind: "Group", name };
}

function serviceAccountSubject(name: string): JsonObject {
  return { kind: "ServiceAccount", name, namespace: "kube-system" };
}

function plainRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): JsonObject {
  const rule: JsonObject = {};
  if (apiGroups) rule["apiGroups"] = [...apiGroups];
  if (resourceNames) rule["resourceNames"] = [...resourceNames];
  if (resources) rule["resources"] = [...resources];
  if (nonResourceURLs) rule["nonResourceURLs"] = [...nonResourceURLs];
  rule["verbs"] = [...verbs];
  return rule;
}
