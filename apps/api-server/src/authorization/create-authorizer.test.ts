import type { JsonObject, JsonValue, PolicyRule, Subject } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuthorizationAttributes, CreateAuthorizer } from "./authorization.ts";
import { createAuthorizer } from "./index.ts";
import { deny } from "./denial.ts";
import { aNodeUser, aRequest, aUser, PolicyStore } from "./testing/policy-store.ts";

const readPods: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const user = (name: string): Subject => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name });
const group = (name: string): Subject => ({ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name });
const serviceAccount = (name: string, namespace?: string): Subject => ({ kind: "ServiceAccount", name, namespace });

function role(name: string, rules: PolicyRule[], namespace?: string): JsonObject {
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { kind: namespace === undefined ? "ClusterRole" : "Role", metadata, rules: plain(rules) };
}

function binding(name: string, to: string, subjects: Subject[]): JsonObject {
  const [namespace, kind, roleName] = to.includes(":") ? to.split(":") : [undefined, "ClusterRole", to];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: kind ?? "", name: roleName ?? "" };
  return {
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: namespace === undefined ? { name } : { name, namespace },
    roleRef,
    subjects: plain(subjects),
  };
}

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function authorizerOf(...objects: JsonObject[]) {
  const create: CreateAuthorizer = createAuthorizer;
  return create({ store: new PolicyStore(objects) });
}

describe("role-based access", () => {
  test("nothing is allowed without a role", () => {
    expect(authorizerOf().authorize(aRequest(aUser("jane"), "get pods"))).toEqual({ allowed: false, reason: "" });
  });

  test("a cluster role binding allows everywhere, and the reason states which", () => {
    const authorizer = authorizerOf(role("reader", [readPods]), binding("b", "reader", [user("jane")]));
    const reason = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "jane"';
    expect(authorizer.authorize(aRequest(aUser("jane"), "list pods"))).toEqual({ allowed: true, reason });
    expect(authorizer.authorize(aRequest(aUser("jane"), "get pods", { namespace: "any", name: "p" })).allowed).toBe(
      true,
    );
    expect(authorizer.authorize(aRequest(aUser("joe"), "get pods")).allowed).toBe(false);
  });

  test("a role binding allows requests only in its namespace, even with a cluster role", () => {
    const authorizer = authorizerOf(
      role("reader", [readPods]),
      role("writer", [{ ...readPods, verbs: ["update"] }], "dev"),
      binding("b", "dev:ClusterRole:reader", [user("jane")]),
      binding("c", "dev:Role:writer", [user("jane")]),
    );
    const allowed = (words: string, namespace: string) =>
      authorizer.authorize(aRequest(aUser("jane"), words, { namespace })).allowed;
    expect(allowed("get pods", "dev")).toBe(true);
    expect(allowed("update pods", "dev")).toBe(true);
    expect(allowed("get pods", "prod")).toBe(false);
    expect(allowed("get pods", "")).toBe(false);
    const decision = authorizer.authorize(aRequest(aUser("jane"), "update pods", { namespace: "dev" }));
    expect(decision.reason).toBe('RBAC: allowed by RoleBinding "c/dev" of Role "writer" to User "jane"');
  });

  test("groups and service accounts are subjects", () => {
    const authorizer = authorizerOf(
      role("reader", [readPods]),
      binding("g", "reader", [group("devs")]),
      binding("s", "dev:ClusterRole:reader", [serviceAccount("bot"), serviceAccount("bot", "other")]),
      binding("nobody", "reader", [serviceAccount("anywhere")]),
    );
    const allowed = (name: string, ...groups: string[]) =>
      authorizer.authorize(aRequest(aUser(name, ...groups), "get pods", { namespace: "dev" })).allowed;
    expect(allowed("jane", "devs")).toBe(true);
    expect(allowed("devs")).toBe(false);
    expect(allowed("system:serviceaccount:dev:bot")).toBe(true);
    expect(allowed("system:serviceaccount:other:bot")).toBe(true);
    expect(allowed("system:serviceaccount:prod:bot")).toBe(false);
    expect(allowed("bot")).toBe(false);
    expect(allowed("system:serviceaccount::anywhere")).toBe(false);
  });

  test("a binding to a missing role does not allow any request, and reports the missing role", () => {
    const authorizer = authorizerOf(
      binding("b", "gone", [user("jane")]),
      binding("c", "dev:Role:lost", [user("jane")]),
      binding("d", "dev:ClusterRole:gone", [user("jane")]),
    );
    const decision = authorizer.authorize(aRequest(aUser("jane"), "get pods", { namespace: "dev" }));
    const reason =
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]';
    expect(decision).toEqual({ allowed: false, reason });
  });

  test("a role of one namespace applies neither in another namespace nor through a cluster role binding", () => {
    const authorizer = authorizerOf(
      role("reader", [readPods], "dev"),
      binding("b", "prod:Role:reader", [user("jane")]),
      { ...binding("c", "reader", [user("jane")]), roleRef: { apiGroup: "", kind: "Role", name: "reader" } },
    );
    expect(authorizer.authorize(aRequest(aUser("jane"), "get pods", { namespace: "prod" })).allowed).toBe(false);
    expect(authorizer.authorize(aRequest(aUser("jane"), "get pods", { namespace: "dev" })).allowed).toBe(false);
  });

  test("members of system:masters may do everything without any role", () => {
    const root = aUser("root", "system:masters");
    expect(authorizerOf().authorize(aRequest(root, "delete nodes"))).toEqual({ allowed: true, reason: "" });
    expect(authorizerOf().rulesFor(root, "").resourceRules).toEqual([
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    ]);
  });

  test("permissions that cluster-admin also grants to members of system:masters are listed once and first", () => {
    const root = aUser("root", "system:masters");
    const all: PolicyRule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
    const admin = [all, { verbs: ["*"], nonResourceURLs: ["*"] }];
    const masters = group("system:masters");
    const authorizer = authorizerOf(
      role("discovery", [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }]),
      binding("a", "discovery", [masters]),
      role("cluster-admin", admin),
      binding("b", "cluster-admin", [masters]),
    );
    expect(authorizer.rulesFor(root, "default")).toEqual({
      resourceRules: [all],
      nonResourceRules: [
        { verbs: ["*"], nonResourceURLs: ["*"] },
        { verbs: ["get"], nonResourceURLs: ["/healthz"] },
      ],
    });
  });

  test("a list with a field selector of a single name is authorized as a request for that name", () => {
    const rule: PolicyRule = { ...readPods, verbs: ["watch"], resourceNames: ["web"] };
    const authorizer = authorizerOf(role("r", [rule]), binding("b", "r", [user("jane")]));
    const watch = (fieldSelector: string) =>
      authorizer.authorize(aRequest(aUser("jane"), "watch pods", { fieldSelector })).allowed;
    expect(watch("metadata.name=web")).toBe(true);
    expect(watch("metadata.name=db")).toBe(false);
    expect(watch("metadata.name!=web")).toBe(false);
    expect(watch("")).toBe(false);
    expect(watch("metadata.name=we\\")).toBe(false);
  });

  test("non-resource paths are authorized by cluster roles alone", () => {
    const urls: PolicyRule = { verbs: ["get"], nonResourceURLs: ["/metrics"] };
    const authorizer = authorizerOf(
      role("r", [urls]),
      binding("b", "r", [user("jane")]),
      binding("c", "dev:ClusterRole:r", [user("joe")]),
    );
    expect(authorizer.authorize(aRequest(aUser("jane"), "get /metrics")).allowed).toBe(true);
    expect(authorizer.authorize(aRequest(aUser("joe"), "get /metrics")).allowed).toBe(false);
  });

  test("the rules of a user in a namespace are listed for SelfSubjectRulesReview", () => {
    const authorizer = authorizerOf(
      role("r", [readPods, { verbs: ["get"], nonResourceURLs: ["/x"] }]),
      role("s", [{ ...readPods, resourceNames: ["web"] }], "dev"),
      binding("b", "r", [user("jane")]),
      binding("c", "dev:Role:s", [user("jane")]),
    );
    const listed = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
    expect(authorizer.rulesFor(aUser("jane"), "dev")).toEqual({
      resourceRules: [listed, { ...listed, resourceNames: ["web"] }],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
    });
    expect(authorizer.rulesFor(aUser("jane"), "prod").resourceRules).toEqual([listed]);
  });
});

describe("changes of roles and bindings", () => {
  test("are visible to the next decision", () => {
    const store = new PolicyStore();
    const authorizer = createAuthorizer({ store });
    const allowed = () => authorizer.authorize(aRequest(aUser("jane"), "get pods")).allowed;
    const generations = [authorizer.generation()];
    const observed = (change: Parameters<typeof authorizer.observe>[0]) => {
      authorizer.observe(change);
      generations.push(authorizer.generation());
      return allowed();
    };
    expect(allowed()).toBe(false);
    expect(observed([store.put(role("r", [readPods]))])).toBe(false);
    expect(observed([store.put(binding("b", "r", [user("jane")]))])).toBe(true);
    expect(observed([store.put(binding("b", "r", [user("joe")]))])).toBe(false);
    expect(observed([store.put(binding("b", "r", [user("joe"), user("jane")]))])).toBe(true);
    expect(observed([store.put(role("r", []))])).toBe(false);
    expect(observed([store.put(role("r", [readPods]))])).toBe(true);
    expect(observed([store.delete(role("r", []))])).toBe(false);
    expect(observed([store.put(role("r", [readPods])), store.delete(binding("b", "r", []))])).toBe(false);
    expect(generations).toEqual(generations.toSorted((left, right) => left - right));
    expect(new Set(generations).size).toBe(generations.length);
  });

  test("a request's contents never make it equal to an allowed request of another user", () => {
    const authorizer = authorizerOf(role("r", [readPods]), binding("b", "r", [user("jane")]));
    const separators = ["\0", ",", '","', "/", " "];
    for (const separator of separators) {
      const [name, groups] = [["web", "", "jane"].join(separator), ["", "joe"]];
      expect(authorizer.authorize(aRequest(aUser("jane", ...groups), "get pods", { name: "web" })).allowed).toBe(true);
      expect(authorizer.authorize(aRequest(aUser("joe"), "get pods", { name })).allowed).toBe(false);
    }
  });

  test("of other objects do not change decisions", () => {
    const store = new PolicyStore();
    const authorizer = createAuthorizer({ store });
    const change = store.put(role("r", [readPods]));
    const entry = { ...change.entry, key: "core/configmaps/default/r", value: new TextEncoder().encode("not JSON") };
    authorizer.observe([{ ...change, resource: "core/configmaps", entry }]);
    expect(authorizer.generation()).toBe(0);
  });
});

describe("compared with an oracle that inspects everything", () => {
  const names = ["a", "b", "c"];
  const namespaces = ["dev", "prod"];
  const rule = fc.record({
    verbs: fc.subarray(["get", "list", "*"], { minLength: 1 }),
    apiGroups: fc.subarray(["", "apps", "*"]),
    resources: fc.subarray(["pods", "pods/log", "nodes", "*/log", "*"]),
    resourceNames: fc.oneof(fc.constant<string[]>([]), fc.subarray(["web", "db"])),
    nonResourceURLs: fc.subarray(["/x", "/x/*", "*"], { maxLength: 1 }),
  });
  const subject = fc.oneof(
    fc.constantFrom("jane", "system:serviceaccount:dev:bot").map(user),
    fc.constantFrom("devs", "ops").map(group),
    fc.constantFrom("dev", "prod", undefined).map((namespace) => serviceAccount("bot", namespace)),
  );
  const anyRole = fc
    .tuple(fc.constantFrom(...names), fc.array(rule, { maxLength: 3 }), fc.constantFrom(undefined, ...namespaces))
    .map(([name, rules, namespace]) => role(name, rules, namespace));
  const anyBinding = fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom("a", "dev:Role:a", "dev:ClusterRole:b", "prod:Role:c", "b"),
      fc.array(subject, { maxLength: 3 }),
    )
    .map(([name, to, subjects]) => binding(name, to, subjects));
  const step = fc.record({ object: fc.oneof(anyRole, anyBinding), deletes: fc.boolean() });
  const request = fc
    .record({
      name: fc.constantFrom("jane", "joe", "system:serviceaccount:dev:bot", "system:serviceaccount:prod:bot"),
      groups: fc.subarray(["devs", "ops"]),
      words: fc.constantFrom("get pods", "list pods", "get pods/log", "get nodes", "get /x", "get /x/y", "delete pods"),
      rest: fc.record({
        group: fc.constantFrom("", "apps"),
        namespace: fc.constantFrom("", "dev", "prod"),
        name: fc.constantFrom("", "web", "db", "other"),
      }),
    })
    .map(({ name, groups, words, rest }) => aRequest(aUser(name, ...groups), words, words.includes(" /") ? {} : rest));

  test("random roles, bindings, changes and requests lead to the same decisions", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.array(request, { minLength: 1, maxLength: 6 }),
        withinLimits((steps, requests) => {
          const store = new PolicyStore();
          const authorizer = createAuthorizer({ store });
          const objects = new Map<string, JsonObject>();
          for (const { object, deletes } of steps) {
            const change = deletes ? store.delete(object) : store.put(object);
            authorizer.observe([change]);
            objects.delete(change.entry.key);
            if (!deletes) {
              objects.set(change.entry.key, object);
            }
            for (const attributes of requests) {
              expect(authorizer.authorize(attributes).allowed).toBe(oracle([...objects.values()], attributes));
            }
          }
          const fresh = createAuthorizer({ store });
          for (const attributes of requests) {
            expect(fresh.authorize(attributes).allowed).toBe(oracle([...objects.values()], attributes));
          }
        }),
      ),
      { numRuns: 300 },
    );
  });
});

/** The slow reference: compares every binding, subject and rule word by word. */
function oracle(objects: readonly JsonObject[], request: AuthorizationAttributes): boolean {
  type Bound = {
    kind: string;
    metadata: { namespace?: string; name: string };
    roleRef: Subject;
    subjects: Subject[];
    rules: PolicyRule[];
  };
  const all = objects as unknown as Bound[];
  for (const bound of all.filter(({ kind }) => kind.endsWith("Binding"))) {
    const { namespace } = bound.metadata;
    if (namespace !== undefined && (request.path !== "" || namespace !== request.namespace)) continue;
    const isSubject = bound.subjects.some((subject) => {
      if (subject.kind === "User") return subject.name === request.user.name;
      if (subject.kind === "Group") return request.user.groups.includes(subject.name);
      const home = subject.namespace ?? namespace;
      return home !== undefined && request.user.name === `system:serviceaccount:${home}:${subject.name}`;
    });
    if (!isSubject) continue;
    const found = all.find(
      ({ kind, metadata }) =>
        kind === bound.roleRef.kind &&
        metadata.name === bound.roleRef.name &&
        metadata.namespace === (kind === "Role" ? namespace : undefined),
    );
    for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of found?.rules ??
      []) {
      if (!verbs.includes("*") && !verbs.includes(request.verb)) continue;
      if (request.path !== "") {
        const pattern = (url: string) =>
          url.endsWith("*") ? request.path.startsWith(url.slice(0, -1)) : request.path === url;
        if (nonResourceURLs.some(pattern)) return true;
        continue;
      }
      const wanted =
        request.subresource === ""
          ? [request.resource]
          : [`${request.resource}/${request.subresource}`, `*/${request.subresource}`];
      const groupOk = apiGroups.includes("*") || apiGroups.includes(request.group);
      const resourceOk = resources.includes("*") || wanted.some((resource) => resources.includes(resource));
      const nameOk = resourceNames.length === 0 || resourceNames.includes(request.name);
      if (groupOk && resourceOk && nameOk) return true;
    }
  }
  return false;
}

describe("refusals", () => {
  const jane = aUser("jane");
  const rows: { request: AuthorizationAttributes; reason?: string; message: string }[] = [
    {
      request: aRequest(jane, "list pods", { namespace: "default" }),
      message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    },
    {
      request: aRequest(jane, "get pods/log", { namespace: "default", name: "web" }),
      message:
        'pods "web" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
    },
    {
      request: aRequest(jane, "create replicasets", { group: "apps" }),
      message:
        'replicasets.apps is forbidden: User "jane" cannot create resource "replicasets" in API group "apps" at the cluster scope',
    },
    { request: aRequest(jane, "get /metrics"), message: 'forbidden: User "jane" cannot get path "/metrics"' },
    {
      request: aRequest(aUser("<b>"), "list nodes"),
      reason: "because",
      message:
        'nodes is forbidden: User "&lt;b&gt;" cannot list resource "nodes" in API group "" at the cluster scope: because',
    },
  ];

  test.each(rows)("$message", ({ request, reason, message }) => {
    const error = deny(request, reason ?? "");
    expect(error.message).toBe(message);
    expect(error.code).toBe(403);
  });

  test("a node's refusal carries the node authorizer's reason", () => {
    const request = aRequest(aNodeUser("node-1"), "get secrets", { namespace: "default", name: "s" });
    const { reason } = authorizerOf().authorize(request);
    expect(deny(request, reason).message).toBe(
      `secrets "s" is forbidden: User "system:node:node-1" cannot get resource "secrets" in API group "" in the namespace "default": no relationship found between node 'node-1' and this object`,
    );
  });
});
