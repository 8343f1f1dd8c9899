import { ClusterRole, ClusterRoleBinding, type JsonObject, Role, RoleBinding } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { AuthorizationAttributes, BootstrapPolicy, UserInfo } from "../authorization.ts";
import { bootstrapPolicy, createAuthorizer } from "../index.ts";
import { aNodeUser, aRequest, aUser, PolicyStore } from "../testing/policy-store.ts";

const policy: BootstrapPolicy = bootstrapPolicy;
const authorizer = createAuthorizer({ store: new PolicyStore(policy()) });
const scheduler = aUser("system:kube-scheduler", "system:authenticated");
const controllerManager = aUser("system:kube-controller-manager", "system:authenticated");
const anybody = aUser("jane", "system:authenticated");
const anonymous = aUser("system:anonymous", "system:unauthenticated");
const rbac = { group: "rbac.authorization.k8s.io" };
const lease = (namespace: string, name: string) => ({ group: "coordination.k8s.io", namespace, name });
const events = { group: "events.k8s.io", namespace: "default" };

const allowed: [who: UserInfo, words: string, rest?: Partial<AuthorizationAttributes>][] = [
  [scheduler, "watch pods"],
  [scheduler, "watch nodes"],
  [scheduler, "create pods/binding", { namespace: "default", name: "web" }],
  [scheduler, "patch pods/status", { namespace: "default", name: "web" }],
  [scheduler, "delete pods", { namespace: "default", name: "web" }],
  [scheduler, "create events", events],
  [scheduler, "create leases", lease("kube-system", "")],
  [scheduler, "update leases", lease("kube-system", "kube-scheduler")],
  [scheduler, "create buscredentials", { group: "kintsugi.dev" }],
  [controllerManager, "watch replicasets", { group: "apps" }],
  [controllerManager, "create pods", { namespace: "default" }],
  [controllerManager, "delete pods", { namespace: "default", name: "web" }],
  [controllerManager, "patch pods/status", { namespace: "default", name: "web" }],
  [controllerManager, "create pods/eviction", { namespace: "default", name: "web" }],
  [controllerManager, "update replicasets/status", { group: "apps", namespace: "default", name: "web" }],
  [controllerManager, "update nodes", { name: "node-1" }],
  [controllerManager, "patch nodes/status", { name: "node-1" }],
  [controllerManager, "get leases", lease("kube-node-lease", "node-1")],
  [controllerManager, "update leases", lease("kube-system", "kube-controller-manager")],
  [controllerManager, "update poddisruptionbudgets/status", { group: "policy", namespace: "default", name: "web" }],
  [controllerManager, "create endpoints", { namespace: "default" }],
  [controllerManager, "create endpointslices", { group: "discovery.k8s.io", namespace: "default" }],
  [controllerManager, "update namespaces/finalize", { name: "old" }],
  [controllerManager, "deletecollection configmaps", { namespace: "old" }],
  [controllerManager, "create serviceaccounts", { namespace: "new" }],
  [controllerManager, "create configmaps", { namespace: "new" }],
  [controllerManager, "create buscredentials", { group: "kintsugi.dev" }],
  [aNodeUser("node-1"), "create buscredentials", { group: "kintsugi.dev" }],
  [aUser("system:serviceaccount:kube-system:replicaset-controller"), "create pods", { namespace: "default" }],
  [anybody, "get /version"],
  [anybody, "get /dashboard/"],
  [anybody, "get /apis/apps/v1"],
  [anybody, "create selfsubjectaccessreviews", { group: "authorization.k8s.io" }],
  [anonymous, "get /readyz"],
];

const refused: [who: UserInfo, words: string, rest?: Partial<AuthorizationAttributes>][] = [
  [scheduler, "update leases", lease("kube-node-lease", "node-1")],
  [scheduler, "get secrets", { namespace: "default", name: "s" }],
  [scheduler, "create pods", { namespace: "default" }],
  [scheduler, "patch nodes", { name: "node-1" }],
  [scheduler, "create clusterrolebindings", rbac],
  [controllerManager, "create clusterrolebindings", rbac],
  // The controller may escalate only ClusterRoles, because it fills ClusterRoles that have an
  // aggregationRule.
  [controllerManager, "escalate roles", { ...rbac, namespace: "default", name: "x" }],
  [controllerManager, "bind clusterroles", { ...rbac, name: "x" }],
  [controllerManager, "create pods/exec", { namespace: "default", name: "web" }],
  [aNodeUser("node-1"), "list secrets"],
  [anybody, "list pods", { namespace: "default" }],
  [anybody, "create buscredentials", { group: "kintsugi.dev" }],
  [anybody, "get /metrics"],
  [anonymous, "get /apis"],
  [anonymous, "get /dashboard/"],
  [anonymous, "create selfsubjectaccessreviews", { group: "authorization.k8s.io" }],
];

describe("the initial policy of a cluster", () => {
  test.each(allowed)("$name may %s", (who, words, rest) => {
    expect(authorizer.authorize(aRequest(who, words, rest)).allowed).toBe(true);
  });

  test.each(refused)("$name may not %s", (who, words, rest) => {
    expect(authorizer.authorize(aRequest(who, words, rest)).allowed).toBe(false);
  });

  test("every object belongs to its kind, has upstream's labels, and is unique", () => {
    const schemas: Record<string, typeof ClusterRole | typeof ClusterRoleBinding | typeof Role | typeof RoleBinding> = {
      ClusterRole,
      ClusterRoleBinding,
      Role,
      RoleBinding,
    };
    const names = policy().map((object) => {
      const parsed = schemas[object["kind"] as string]?.parse(object);
      expect(parsed).toEqual(object);
      expect(parsed?.metadata.labels).toMatchObject({ "kubernetes.io/bootstrapping": "rbac-defaults" });
      return `${parsed?.kind}/${parsed?.metadata.namespace ?? ""}/${parsed?.metadata.name}`;
    });
    expect(new Set(names).size).toBe(names.length);
  });

  test("the metrics reader has the rules of metrics-server's manifest, in its order", () => {
    const role = policy().find(
      ({ metadata }) => (metadata as { name: string }).name === "system:aggregated-metrics-reader",
    );
    expect(role?.["rules"]).toEqual([
      { apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
    ]);
  });

  test("every binding names a role that exists", () => {
    const roles = new Set(
      policy().map((object) => `${object["kind"] as string} ${(object["metadata"] as { name: string }).name}`),
    );
    const bound = policy().flatMap(({ roleRef }) =>
      roleRef === undefined ? [] : [roleRef as { kind: string; name: string }],
    );
    expect(bound.length).toBeGreaterThan(20);
    expect(bound.filter(({ kind, name }) => !roles.has(`${kind} ${name}`))).toEqual([]);
  });

  test.each([
    [
      "view",
      ["get pods", "get pods/log", "list configmaps", "list timeline"],
      ["get secrets", "create pods", "create roles"],
    ],
    [
      "edit",
      ["get pods", "get secrets", "create pods", "create pods/exec", "list timeline"],
      ["create roles", "create rolebindings", "update nodes"],
    ],
    [
      "admin",
      ["get pods", "get secrets", "create pods", "create roles", "create rolebindings"],
      ["update nodes", "create clusterroles"],
    ],
  ])("%s includes the roles that it aggregates", (name, may, mayNot) => {
    const binding: JsonObject = {
      kind: "RoleBinding",
      metadata: { name: "b", namespace: "dev" },
      roleRef: { apiGroup: rbac.group, kind: "ClusterRole", name },
      subjects: [{ kind: "User", name: "jane" }],
    };
    const withBinding = createAuthorizer({ store: new PolicyStore([...policy(), binding]) });
    const groups: Record<string, string> = {
      roles: rbac.group,
      rolebindings: rbac.group,
      clusterroles: rbac.group,
      timeline: "kintsugi.dev",
    };
    const isAllowed = (words: string) => {
      const group = groups[words.split(" ")[1] ?? ""] ?? "";
      return withBinding.authorize(aRequest(aUser("jane"), words, { group, namespace: "dev" })).allowed;
    };
    expect(may.filter((words) => !isAllowed(words))).toEqual([]);
    expect(mayNot.filter(isAllowed)).toEqual([]);
  });

  test("the aggregated roles contain exactly the rules of the roles that their selectors match", () => {
    const roles = policy().filter(({ kind }) => kind === "ClusterRole") as unknown as ClusterRole[];
    const aggregated = roles.filter(({ aggregationRule }) => aggregationRule !== undefined);
    expect(aggregated.map(({ metadata }) => metadata.name)).toEqual(["admin", "edit", "view"]);
    for (const { metadata, aggregationRule, rules } of aggregated) {
      const [label] = Object.keys(aggregationRule?.clusterRoleSelectors?.[0]?.matchLabels ?? {});
      const sources = roles.filter(
        (role) => role.metadata.labels?.[label ?? ""] === "true" && role.metadata.name !== metadata.name,
      );
      const unite = (all: ClusterRole["rules"]) => new Set((all ?? []).map((each) => JSON.stringify(each)));
      expect(unite(rules)).toEqual(unite(sources.flatMap((source) => source.rules ?? [])));
    }
  });
});
