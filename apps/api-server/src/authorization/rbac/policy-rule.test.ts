import type { PolicyRule } from "@kintsugi/api";
import { expect, test } from "vitest";
import { type RequestedAction, ruleAllows } from "./policy-rule.ts";

const pods: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };

function action(more: Partial<RequestedAction>): RequestedAction {
  return { verb: "get", group: "", resource: "pods", subresource: "", name: "", path: "", ...more };
}

const rows: { name: string; rule: PolicyRule; action: RequestedAction; allowed: boolean }[] = [
  { name: "a resource that the rule names", rule: pods, action: action({}), allowed: true },
  { name: "another verb", rule: pods, action: action({ verb: "watch" }), allowed: false },
  { name: "another group", rule: pods, action: action({ group: "apps" }), allowed: false },
  { name: "another resource", rule: pods, action: action({ resource: "nodes" }), allowed: false },
  { name: "a subresource of a named resource", rule: pods, action: action({ subresource: "log" }), allowed: false },
  {
    name: "a named subresource",
    rule: { ...pods, resources: ["pods/log"] },
    action: action({ subresource: "log" }),
    allowed: true,
  },
  {
    name: "the resource of a named subresource",
    rule: { ...pods, resources: ["pods/log"] },
    action: action({}),
    allowed: false,
  },
  {
    name: "every subresource of that name",
    rule: { ...pods, resources: ["*/scale"] },
    action: action({ subresource: "scale" }),
    allowed: true,
  },
  {
    name: "*/scale matches no other subresource",
    rule: { ...pods, resources: ["*/scale"] },
    action: action({ subresource: "status" }),
    allowed: false,
  },
  {
    name: "*/scale matches no plain resource",
    rule: { ...pods, resources: ["*/scale"] },
    action: action({}),
    allowed: false,
  },
  {
    name: "pods/* is not a wildcard",
    rule: { ...pods, resources: ["pods/*"] },
    action: action({ subresource: "log" }),
    allowed: false,
  },
  {
    name: "all resources, including subresources",
    rule: { ...pods, resources: ["*"] },
    action: action({ resource: "x", subresource: "y" }),
    allowed: true,
  },
  { name: "all verbs", rule: { ...pods, verbs: ["*"] }, action: action({ verb: "escalate" }), allowed: true },
  { name: "all groups", rule: { ...pods, apiGroups: ["*"] }, action: action({ group: "x" }), allowed: true },
  {
    name: "a name that is listed",
    rule: { ...pods, resourceNames: ["a", "b"] },
    action: action({ name: "b" }),
    allowed: true,
  },
  {
    name: "a name that is not listed",
    rule: { ...pods, resourceNames: ["a"] },
    action: action({ name: "b" }),
    allowed: false,
  },
  {
    name: "a request without a name if names are listed",
    rule: { ...pods, resourceNames: ["a"] },
    action: action({ verb: "list" }),
    allowed: false,
  },
  {
    name: "* is not a wildcard in names",
    rule: { ...pods, resourceNames: ["*"] },
    action: action({ name: "b" }),
    allowed: false,
  },
  {
    name: "an empty name in the list allows only requests without a name",
    rule: { ...pods, resourceNames: [""] },
    action: action({ name: "b" }),
    allowed: false,
  },
  {
    name: "a path",
    rule: { verbs: ["get"], nonResourceURLs: ["/healthz"] },
    action: action({ resource: "", path: "/healthz" }),
    allowed: true,
  },
  {
    name: "a path below a path without a wildcard",
    rule: { verbs: ["get"], nonResourceURLs: ["/healthz"] },
    action: action({ resource: "", path: "/healthz/x" }),
    allowed: false,
  },
  {
    name: "a path that matches a prefix",
    rule: { verbs: ["get"], nonResourceURLs: ["/healthz/*"] },
    action: action({ resource: "", path: "/healthz/x/y" }),
    allowed: true,
  },
  {
    name: "the prefix itself is not matched",
    rule: { verbs: ["get"], nonResourceURLs: ["/healthz/*"] },
    action: action({ resource: "", path: "/healthz" }),
    allowed: false,
  },
  {
    name: "all paths",
    rule: { verbs: ["get"], nonResourceURLs: ["*"] },
    action: action({ resource: "", path: "/x" }),
    allowed: true,
  },
  {
    name: "a star inside a path is not a wildcard",
    rule: { verbs: ["get"], nonResourceURLs: ["/a/*/b"] },
    action: action({ resource: "", path: "/a/x/b" }),
    allowed: false,
  },
  {
    name: "a path is not allowed by a rule for all resources",
    rule: { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    action: action({ resource: "", path: "/x" }),
    allowed: false,
  },
  {
    name: "a resource is not allowed by a rule for all paths",
    rule: { verbs: ["*"], nonResourceURLs: ["*"] },
    action: action({}),
    allowed: false,
  },
];

test.each(rows)("$name", ({ rule, action: requested, allowed }) => {
  expect(ruleAllows(rule, requested)).toBe(allowed);
});
