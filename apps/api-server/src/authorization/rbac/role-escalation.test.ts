import {
  clusterRoleBindings,
  clusterRoles,
  type JsonObject,
  type JsonValue,
  type PolicyRule,
  roleBindings,
  roles,
} from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AdmissionAttributes, AuthorizationAdmission } from "../admission-attributes.ts";
import { createAuthorizer, roleEscalation } from "../index.ts";
import { ruleAllows } from "./policy-rule.ts";
import { findMissingRights } from "./rule-cover.ts";
import { aWrite } from "../testing/admission.ts";
import { aUser, PolicyStore } from "../testing/policy-store.ts";

const group = "rbac.authorization.k8s.io";
const readPods: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const readAll: PolicyRule = { verbs: ["get"], apiGroups: ["*"], resources: ["*"] };
const everything: PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];
const rights = (...verbs: string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources: ["clusterroles", "roles"],
  resourceNames: ["target"],
});

function aRole(rules: PolicyRule[], more: JsonObject = {}): JsonObject {
  return {
    kind: "ClusterRole",
    metadata: { name: "target" },
    rules: JSON.parse(JSON.stringify(rules)) as JsonValue,
    ...more,
  };
}

function aBinding(kind: "Role" | "ClusterRole", name = "target"): JsonObject {
  return { metadata: { name: "b" }, roleRef: { apiGroup: group, kind, name }, subjects: [] };
}

function check(held: PolicyRule[], write: AdmissionAttributes): string {
  const store = new PolicyStore([
    { ...aRole(held), metadata: { name: "held" } },
    {
      kind: "ClusterRoleBinding",
      metadata: { name: "b" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "held" },
      subjects: [{ kind: "User", name: "jane" }],
    },
  ]);
  const escalation: AuthorizationAdmission["roleEscalation"] = roleEscalation;
  const refusal = escalation(write, {
    authorizer: createAuthorizer({ store }),
    findRole: (kind, namespace, name) =>
      name === "target" && (kind === "Role") === (namespace === "dev") ? aRole([readPods]) : undefined,
  });
  return refusal === undefined ? "admitted" : `${refusal.code} ${refusal.message}`;
}

const missing = (name: string, ...lines: string[]) =>
  `403 ${name} is forbidden: user "jane" (groups=["devs"]) is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
const jane = aUser("jane", "devs");
const target = { user: jane, name: "target" };
const createRole = (rules: PolicyRule[], more: JsonObject = {}) =>
  aWrite(clusterRoles, { ...target, object: aRole(rules, more) });
const bind = (kind: "Role" | "ClusterRole", name?: string) =>
  aWrite(roleBindings, { user: jane, namespace: "dev", name: "b", object: aBinding(kind, name) });

const aggregation = { aggregationRule: { clusterRoleSelectors: [] } };
const finalized = (rules: PolicyRule[], finalizers: string[]) =>
  aRole(rules, { metadata: { name: "target", finalizers, resourceVersion: String(finalizers.length) } });

const rows: [name: string, held: PolicyRule[], write: AdmissionAttributes, result: string][] = [
  ["a role of rights that the user has", [readPods], createRole([readPods]), "admitted"],
  [
    "a role of fewer rights",
    [readPods],
    createRole([{ ...readPods, verbs: ["get"], resourceNames: ["web"] }]),
    "admitted",
  ],
  ["a role without rules", [], createRole([]), "admitted"],
  [
    "a role of rights that two roles grant together",
    [readPods, { ...readPods, resources: ["nodes"] }],
    createRole([{ ...readPods, resources: ["pods", "nodes"] }]),
    "admitted",
  ],
  [
    "a role of rights that a wildcard grants",
    [readAll],
    createRole([{ verbs: ["get"], apiGroups: ["apps"], resources: ["replicasets/scale"] }]),
    "admitted",
  ],
  [
    "a role of rights that the user lacks",
    [],
    createRole([readPods]),
    missing(
      'clusterroles.rbac.authorization.k8s.io "target"',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    ),
  ],
  [
    "a role with a surplus verb",
    [readPods],
    createRole([{ ...readPods, verbs: ["get", "delete"] }]),
    missing(
      'clusterroles.rbac.authorization.k8s.io "target"',
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    ),
  ],
  [
    "a role without the names that limit the user",
    [{ ...readPods, resourceNames: ["web"] }],
    createRole([readPods]),
    missing(
      'clusterroles.rbac.authorization.k8s.io "target"',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    ),
  ],
  [
    "a wildcard that the user only has in parts",
    [readPods],
    createRole([{ ...readPods, verbs: ["*"] }]),
    missing('clusterroles.rbac.authorization.k8s.io "target"', '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'),
  ],
  [
    "a path the user lacks",
    [readAll],
    createRole([{ verbs: ["get"], nonResourceURLs: ["/metrics"] }]),
    missing('clusterroles.rbac.authorization.k8s.io "target"', '{NonResourceURLs:["/metrics"], Verbs:["get"]}'),
  ],
  [
    "more rights than can be distinguished",
    [readAll],
    createRole([{ verbs: letters(200), apiGroups: letters(200), resources: letters(200) }]),
    missing('clusterroles.rbac.authorization.k8s.io "target"', "more than 20000 single rights"),
  ],
  ["any role with the verb escalate", [rights("escalate")], createRole(everything), "admitted"],
  [
    "an aggregation rule without all rights",
    [readPods],
    createRole([], aggregation),
    '403 clusterroles.rbac.authorization.k8s.io "target" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  ],
  ["an aggregation rule with all rights", everything, createRole([readPods], aggregation), "admitted"],
  [
    "removing an aggregation rule without all rights",
    [readPods],
    { ...createRole([readPods]), operation: "update", before: aRole([], aggregation) },
    '403 clusterroles.rbac.authorization.k8s.io "target" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  ],
  [
    "an update that adds rights",
    [],
    aWrite(roles, { ...target, operation: "update", namespace: "dev", object: aRole([readPods]), before: aRole([]) }),
    missing('roles.rbac.authorization.k8s.io "target"', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'),
  ],
  [
    "an update that only removes the role",
    [],
    aWrite(roles, {
      ...target,
      operation: "update",
      namespace: "dev",
      object: finalized([readPods], []),
      before: finalized([readPods], ["x"]),
    }),
    "admitted",
  ],
  [
    "a label on a role whose rights the user lacks",
    [],
    aWrite(roles, {
      ...target,
      operation: "update",
      namespace: "dev",
      object: aRole([readPods], { metadata: { name: "target", labels: { a: "1" } } }),
      before: aRole([readPods]),
    }),
    missing('roles.rbac.authorization.k8s.io "target"', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'),
  ],
  ["a deletion", [], aWrite(clusterRoles, { ...target, operation: "delete", before: aRole(everything) }), "admitted"],
  ["a privileged user", [], { ...createRole(everything), user: aUser("root", "system:masters") }, "admitted"],
  ["binding a role whose rights the user has", [readPods], bind("Role"), "admitted"],
  [
    "binding a role whose rights the user lacks",
    [],
    bind("Role"),
    missing('rolebindings.rbac.authorization.k8s.io "b"', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'),
  ],
  [
    "binding a cluster role whose rights the user lacks",
    [],
    bind("ClusterRole"),
    missing('rolebindings.rbac.authorization.k8s.io "b"', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'),
  ],
  ["binding with the verb bind", [rights("bind")], bind("Role"), "admitted"],
  [
    "binding another role with the verb bind for a single role",
    [rights("bind")],
    bind("Role", "other"),
    '404 roles.rbac.authorization.k8s.io "other" not found',
  ],
  [
    "a cluster role binding",
    [],
    aWrite(clusterRoleBindings, { user: jane, name: "b", object: aBinding("ClusterRole") }),
    missing(
      'clusterrolebindings.rbac.authorization.k8s.io "b"',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    ),
  ],
];

function letters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `x${index}`);
}

describe("escalation", () => {
  test.each(rows)("%s", (_name, held, write, result) => {
    expect(check(held, write)).toBe(result);
  });

  test("covered rules never allow more than the holder's own rules", () => {
    const rule = fc.record({
      verbs: fc.subarray(["get", "list", "*"], { minLength: 1 }),
      apiGroups: fc.subarray(["", "apps", "*"], { minLength: 1 }),
      resources: fc.subarray(["pods", "pods/log", "*/log", "*"], { minLength: 1 }),
      resourceNames: fc.subarray(["web", "db"]),
    });
    const action = fc.record({
      verb: fc.constantFrom("get", "list", "delete"),
      group: fc.constantFrom("", "apps", "other"),
      resource: fc.constantFrom("pods", "nodes"),
      subresource: fc.constantFrom("", "log", "status"),
      name: fc.constantFrom("", "web", "other"),
      path: fc.constant(""),
    });
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 3 }),
        fc.array(rule, { maxLength: 2 }),
        fc.array(action, { minLength: 20, maxLength: 40 }),
        withinLimits((held, wanted, actions) => {
          fc.pre(findMissingRights(held, wanted)?.length === 0);
          const exceeding = actions.filter(
            (requested) =>
              wanted.some((right) => ruleAllows(right, requested)) &&
              !held.some((right) => ruleAllows(right, requested)),
          );
          expect(exceeding).toEqual([]);
        }),
      ),
      { numRuns: 200 },
    );
  });
});
