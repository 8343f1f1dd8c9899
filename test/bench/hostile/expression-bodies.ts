import type { HostileRequest } from "./hostile-request.ts";

// Objects with the maximum of expressions, 32 KiB, which take about a second to compile.

const loops = (index: number) => `${"[1].all(x,x==1)&&".repeat(590)}${index}==${index}`;
const maps = (index: number) => `{${"1:1,".repeat(2_480)}2:${index}}=={}`;
const calls = (index: number) => `${'"a".startsWith("b"+string(1))&&'.repeat(320)}${index}==${index}`;
/** The parser reads to its end before it finds the fault. */
const broken = (index: number) => `${"[1].all(x,x==1)&&".repeat(590)}${index}==`;
const forms = { loops, maps, calls, broken };

function texts(form: (index: number) => string, start: number): string[] {
  return [0, 1, 2].map((index) => form(start + index));
}

function post(name: string, path: string, body: () => unknown, needs?: HostileRequest): HostileRequest {
  return {
    name,
    method: "POST",
    path,
    as: "admin",
    body: () => JSON.stringify(body()),
    ...(needs === undefined ? {} : { needs }),
  };
}

const resources = "/apis/resource.k8s.io/v1";
const admission = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
};
const selectors = (expressions: readonly string[]) => expressions.map((expression) => ({ cel: { expression } }));
const requests = (expressions: readonly string[]) =>
  expressions.map((expression, index) => ({
    name: `r${index}`,
    exactly: { deviceClassName: "c", selectors: selectors([expression]) },
  }));

const claims = Object.entries(forms).map(([name, form], at) =>
  post(`expressions of a claim: ${name}`, `${resources}/namespaces/default/resourceclaims`, () => ({
    metadata: { generateName: "hostile-" },
    spec: { devices: { requests: requests(texts(form, at * 10)) } },
  })),
);

const policy = (name: string, start: number) => ({
  metadata: { name },
  spec: {
    matchConstraints,
    failurePolicy: "Ignore",
    variables: [{ name: "v", expression: loops(start) }],
    validations: [{ expression: loops(start + 1) }, { expression: loops(start + 2) }],
  },
});

const crd = (name: string, start: number) => ({
  metadata: { name: `${name}s.hostile.example.com` },
  spec: {
    group: "hostile.example.com",
    scope: "Namespaced",
    names: { plural: `${name}s`, kind: `K${name}` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                "x-kubernetes-validations": texts(loops, start).map((rule) => ({ rule, message: "no" })),
              },
            },
          },
        },
      },
    ],
  },
});

const stored = post(
  "a binding of a large policy",
  `${admission}/validatingadmissionpolicybindings`,
  () => ({ metadata: { name: "stored" }, spec: { policyName: "stored", validationActions: ["Deny"] } }),
  post("a large policy", `${admission}/validatingadmissionpolicies`, () => policy("stored", 100)),
);
const defined = post("a large definition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", () =>
  crd("stored", 110),
);

export const expressionBodies: readonly HostileRequest[] = [
  ...claims,
  post("expressions of a claim's template", `${resources}/namespaces/default/resourceclaimtemplates`, () => ({
    metadata: { generateName: "hostile-" },
    spec: { spec: { devices: { requests: requests(texts(loops, 50)) } } },
  })),
  post("expressions of a class of devices", `${resources}/deviceclasses`, () => ({
    metadata: { generateName: "hostile-" },
    spec: { selectors: selectors(texts(loops, 60)) },
  })),
  {
    name: "expressions of a class of devices, applied",
    method: "PATCH",
    path: `${resources}/deviceclasses/applied?fieldManager=hostile&force=true`,
    contentType: "application/apply-patch+yaml",
    as: "admin",
    body: () =>
      JSON.stringify({
        apiVersion: "resource.k8s.io/v1",
        kind: "DeviceClass",
        metadata: { name: "applied" },
        spec: { selectors: selectors(texts(loops, 70)) },
      }),
  },
  post("expressions of a policy", `${admission}/validatingadmissionpolicies?dryRun=All`, () => policy("dry", 80)),
  post("match conditions of a webhook", `${admission}/validatingwebhookconfigurations?dryRun=All`, () => ({
    metadata: { name: "hostile" },
    webhooks: [
      {
        name: "a.example.com",
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules: [],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        matchConditions: texts(loops, 90).map((expression, index) => ({ name: `c${index}`, expression })),
      },
    ],
  })),
  post("rules of a definition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", () =>
    crd("dry", 120),
  ),
  post(
    "the first object of a definition with large rules",
    "/apis/hostile.example.com/v1/namespaces/default/storeds",
    () => ({ apiVersion: "hostile.example.com/v1", kind: "Kstored", metadata: { generateName: "o-" }, spec: {} }),
    defined,
  ),
  post(
    "the first object of a large policy",
    "/api/v1/namespaces/default/configmaps",
    () => ({ metadata: { generateName: "o-" } }),
    stored,
  ),
];
