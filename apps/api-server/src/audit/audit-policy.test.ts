import { InvalidFile } from "@kintsugi/yaml-text";
import { describe, expect, test } from "vitest";
import { parseRequestInfo } from "../request/request-info.ts";
import { parseAuditPolicy } from "./audit-policy.ts";
import { planAudit } from "./plan-audit.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
const read = (text: string) => parseAuditPolicy(head + text, "policy.yaml");

describe("a policy with faults is rejected at its place", () => {
  test.each([
    ["rules: []", "policy.yaml:3:8: rules: loaded illegal policy with 0 rules"],
    ["rules: [{ level: Some }]", 'unknown word "Some"'],
    ["rules: [{ user: [a] }]", 'unknown word "user"; did you mean "users"?'],
    ["rules: [{ level: None, omitStages: [Received] }]", 'did you mean "RequestReceived"?'],
    [
      'rules: [{ level: None, nonResourceURLs: ["/x"], namespaces: [a] }]',
      "rules cannot apply to both regular resources and non-resource URLs",
    ],
    ["rules: [{ level: None, nonResourceURLs: [x] }]", "non-resource URL rules must begin with a '/' character"],
    [
      'rules: [{ level: None, nonResourceURLs: ["/a*b"] }]',
      "policy.yaml:3:42: rules[1].nonResourceURLs[1]: non-resource URL wildcards '*' must be the final character",
    ],
    ["rules: [{ level: None, resources: [{ group: apps/v1 }] }]", 'invalid group name "apps/v1"'],
    [
      "rules: [{ level: None, resources: [{ resourceNames: [a] }] }]",
      "using resourceNames requires at least one resource",
    ],
  ])("%s", (text, message) => {
    expect(() => read(text)).toThrow(InvalidFile);
    expect(() => read(text)).toThrow(message);
  });
});

describe("the first matching rule applies", () => {
  const alice = { name: "alice", groups: ["dev"] };
  const level = (rule: string, method: string, target: string, user: typeof alice | undefined = alice) =>
    planAudit(read(`rules:\n- { level: Request, ${rule} }\n- level: None\n`), {
      user,
      info: parseRequestInfo(method, target),
    })?.level;

  test.each([
    ["users: [alice]", "GET", "/api", "Request"],
    ["users: [bob]", "GET", "/api", undefined],
    ["userGroups: [x, dev]", "GET", "/api", "Request"],
    ["userGroups: [x]", "GET", "/api", undefined],
    ["verbs: [watch]", "GET", "/api/v1/pods?watch=1", "Request"],
    ["verbs: [watch]", "GET", "/api/v1/pods", undefined],
    ["namespaces: [a]", "GET", "/api/v1/namespaces/a/pods", "Request"],
    ['namespaces: [""]', "GET", "/api/v1/nodes", "Request"],
    ["namespaces: [a]", "GET", "/healthz", undefined],
    ['nonResourceURLs: ["/health*"]', "GET", "/healthz", "Request"],
    ['nonResourceURLs: ["/health*"]', "GET", "/api/v1/nodes", undefined],
    ['nonResourceURLs: ["*"]', "GET", "/version", "Request"],
    ['resources: [{ group: "" }]', "GET", "/api/v1/nodes", "Request"],
    ["resources: [{ group: apps }]", "GET", "/api/v1/nodes", undefined],
    ["resources: [{ resources: [pods] }]", "GET", "/api/v1/namespaces/a/pods/x/log", undefined],
    ["resources: [{ resources: [pods/log] }]", "GET", "/api/v1/namespaces/a/pods/x/log", "Request"],
    ["resources: [{ resources: [pods/*] }]", "GET", "/api/v1/namespaces/a/pods/x/log", "Request"],
    ['resources: [{ resources: ["*/log"] }]', "GET", "/api/v1/namespaces/a/pods/x/log", "Request"],
    ['resources: [{ resources: ["*/log"] }]', "GET", "/api/v1/namespaces/a/pods/x", undefined],
    ['resources: [{ resources: ["*"], resourceNames: [y] }]', "GET", "/api/v1/namespaces/a/pods/x", undefined],
    ["resources: [{ resources: [pods], resourceNames: [x] }]", "GET", "/api/v1/namespaces/a/pods/x", "Request"],
  ])("{ %s } and %s %s: %s", (rule, method, target, expected) => {
    expect(level(rule, method, target)).toBe(expected);
  });

  test("an unauthenticated caller does not match any user of a rule", () => {
    const policy = read("rules: [{ level: Metadata, users: [alice] }]");
    expect(planAudit(policy, { user: undefined, info: parseRequestInfo("GET", "/api") })).toBeUndefined();
  });

  test("a rule adds stages to omit, and its own setting for managed fields applies", () => {
    const text = `omitStages: [RequestReceived]
omitManagedFields: true
rules: [{ level: Metadata, omitStages: [Panic], omitManagedFields: false }]
`;
    const plan = planAudit(read(text), { user: alice, info: parseRequestInfo("GET", "/api") });
    expect(plan).toEqual({
      level: "Metadata",
      omitStages: new Set(["RequestReceived", "Panic"]),
      omitManagedFields: false,
    });
  });
});
