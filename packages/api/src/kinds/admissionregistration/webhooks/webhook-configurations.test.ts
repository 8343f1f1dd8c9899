import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate } from "../../../validation/validate.ts";
import { applyDefaults } from "../../define-kind.ts";
import { mutatingWebhookConfigurationKind } from "../mutating-webhook-configuration/mutating-webhook-configuration-kind.ts";
import { validatingWebhookConfigurationKind } from "../validating-webhook-configuration/validating-webhook-configuration-kind.ts";

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://example.com/check" },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

function faultsOf(...webhooks: object[]): string[] {
  return [validatingWebhookConfigurationKind, mutatingWebhookConfigurationKind]
    .map((kind) => validateCreate(kind, applyDefaults(kind, anObject(kind, { webhooks }))))
    .map((issues) => issues.map(({ field, message }) => `${field}: ${message}`))
    .reduce((validating, mutating) => {
      expect(mutating).toEqual(validating);
      return mutating;
    });
}

const withRule = (more: object) => ({ ...webhook, rules: [{ ...rule, ...more }] });
const withUrl = (url: string) => ({ ...webhook, clientConfig: { url } });
const withService = (more: object) => ({
  ...webhook,
  clientConfig: { service: { namespace: "default", name: "checker", ...more } },
});
const at = "webhooks[0]";
const form = "desired format: https://host[/path]";

describe("a new configuration", () => {
  test.each<[string, object, string[]]>([
    ["complete", webhook, []],
    ["without a name", { ...webhook, name: "" }, [`${at}.name: Required value`]],
    [
      "with a name that is too short",
      { ...webhook, name: "example.com" },
      [`${at}.name: Invalid value: "example.com": should be a domain with at least three segments separated by dots`],
    ],
    [
      "without a statement of side effects",
      { ...webhook, sideEffects: undefined },
      [`${at}.sideEffects: Required value: must specify one of None, NoneOnDryRun`],
    ],
    [
      "with side effects",
      { ...webhook, sideEffects: "Some" },
      [`${at}.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`],
    ],
    [
      "with unknown policies",
      { ...webhook, failurePolicy: "Panic", matchPolicy: "Fuzzy" },
      [
        `${at}.failurePolicy: Unsupported value: "Panic": supported values: "Fail", "Ignore"`,
        `${at}.matchPolicy: Unsupported value: "Fuzzy": supported values: "Equivalent", "Exact"`,
      ],
    ],
    ...[0, 31].map((timeoutSeconds): [string, object, string[]] => [
      `with a timeout of ${timeoutSeconds} s`,
      { ...webhook, timeoutSeconds },
      [`${at}.timeoutSeconds: Invalid value: ${timeoutSeconds}: the timeout value must be between 1 and 30 seconds`],
    ]),
    [
      "without a version of AdmissionReview",
      { ...webhook, admissionReviewVersions: [] },
      [`${at}.admissionReviewVersions: Required value: must specify one of v1, v1beta1`],
    ],
    [
      "with v2 of AdmissionReview alone",
      { ...webhook, admissionReviewVersions: ["v2"] },
      [`${at}.admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1`],
    ],
    [
      "with a repeated version of AdmissionReview",
      { ...webhook, admissionReviewVersions: ["v1", "v1"] },
      [`${at}.admissionReviewVersions[1]: Invalid value: "v1": duplicate version`],
    ],
    [
      "with neither URL nor Service",
      { ...webhook, clientConfig: {} },
      [`${at}.clientConfig: Required value: exactly one of url or service is required`],
    ],
    [
      "with a URL of another scheme",
      withUrl("http://example.com"),
      [`${at}.clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; ${form}`],
    ],
    [
      "with a URL without a host",
      withUrl("https:///check"),
      [`${at}.clientConfig.url: Invalid value: "": host must be provided; ${form}`],
    ],
    [
      "with a URL of too many parts",
      withUrl("https://me:word@example.com/?a=b#c"),
      [
        `${at}.clientConfig.url: Invalid value: "me:word": user information is not permitted in the URL`,
        `${at}.clientConfig.url: Invalid value: "c": fragments are not permitted in the URL`,
        `${at}.clientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL`,
      ],
    ],
    ["with a Service", withService({ path: "/a/b.c/" }), []],
    [
      "with a Service without a name, and an invalid port",
      withService({ name: "", namespace: "", port: 0 }),
      [
        `${at}.clientConfig.service.name: Required value: service name is required`,
        `${at}.clientConfig.service.namespace: Required value: service namespace is required`,
        `${at}.clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
      ],
    ],
    [
      "with a path with an empty segment",
      withService({ path: "/a//b" }),
      [`${at}.clientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty`],
    ],
    [
      "with an empty rule",
      { ...webhook, rules: [{}] },
      ["operations", "apiGroups", "apiVersions", "resources"].map((name) => `${at}.rules[0].${name}: Required value`),
    ],
    [
      "with words next to a wildcard",
      withRule({
        operations: ["*", "CREATE"],
        apiGroups: ["*", "apps"],
        apiVersions: ["*", "v1"],
        resources: ["*", "pods"],
      }),
      [
        `${at}.rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
        `${at}.rules[0].apiGroups: Invalid value: ["*","apps"]: if '*' is present, must not specify other API groups`,
        `${at}.rules[0].apiVersions: Invalid value: ["*","v1"]: if '*' is present, must not specify other API versions`,
        `${at}.rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      "with subresources that a wildcard covers",
      withRule({ resources: ["pods/*", "pods/log", "*/scale", "deployments/scale"] }),
      [
        `${at}.rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
        `${at}.rules[0].resources[3]: Invalid value: "deployments/scale": if '*/scale' is present, must not specify deployments/scale`,
      ],
    ],
    [
      "with all subresources and one more",
      withRule({ resources: ["*/*", "pods"] }),
      [
        `${at}.rules[0].resources: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`,
      ],
    ],
    [
      "with unknown operation and scope",
      withRule({ operations: ["GET"], scope: "Galaxy" }),
      [
        `${at}.rules[0].operations[0]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
        `${at}.rules[0].scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"`,
      ],
    ],
    [
      "with conditions",
      {
        ...webhook,
        matchConditions: [
          { name: "a", expression: "true" },
          { name: "a", expression: " " },
        ],
      },
      [`${at}.matchConditions[1].expression: Required value`, `${at}.matchConditions[1].name: Duplicate value: "a"`],
    ],
  ])("%s", (_name, given, faults) => {
    expect(faultsOf(given)).toEqual(faults);
  });

  test("with one name twice", () => {
    expect(faultsOf(webhook, webhook)).toEqual(['webhooks[1].name: Duplicate value: "a.example.com"']);
  });

  test("of the mutating kind with an unknown reinvocation policy", () => {
    const kind = mutatingWebhookConfigurationKind;
    const issues = validateCreate(kind, anObject(kind, { webhooks: [{ ...webhook, reinvocationPolicy: "Always" }] }));
    expect(issues.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      `${at}.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"`,
    ]);
  });
});

test("webhooks get upstream's defaults", () => {
  const kind = mutatingWebhookConfigurationKind;
  const { webhooks } = applyDefaults(kind, anObject(kind, { webhooks: [withService({})] }));
  expect(webhooks?.[0]).toMatchObject({
    clientConfig: { service: { port: 443 } },
    rules: [{ scope: "*" }],
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    reinvocationPolicy: "Never",
  });
});
