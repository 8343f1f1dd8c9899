import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

// Admission policies that validate and mutate Deployments, and the match conditions of webhooks.

const version = "admissionregistration.k8s.io/v1";
const policyRule = {
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["deployments"],
};

/** Installs a policy and its binding, which apply in one namespace. */
async function install(
  api: ConformanceClient,
  { purpose, kind, spec, binding = {} }: { purpose: string; kind: string; spec: Json; binding?: Json },
) {
  const namespace = await api.namespace(purpose);
  const name = `${purpose}-${api.encoding}.example.com`;
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const matchConstraints = { namespaceSelector, resourceRules: [policyRule] };
  const policies = `/apis/${version}/${kind === "ValidatingAdmissionPolicy" ? "validating" : "mutating"}admissionpolicies`;
  const bindings = policies.replace("policies", "policybindings");
  const metadata = { name };
  await expectStatus(
    201,
    api.post(policies, { apiVersion: version, kind, metadata, spec: { matchConstraints, ...spec } }),
  );
  const bound = { apiVersion: version, kind: `${kind}Binding`, metadata, spec: { policyName: name, ...binding } };
  await expectStatus(201, api.post(bindings, bound));
  return { deployments: `/apis/apps/v1/namespaces/${namespace}/deployments` };
}

function aDeployment(name: string, replicas: number, annotations: Json = {}) {
  const labels = { app: "nginx" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, annotations },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx" }] } },
    },
  };
}

const dry = (path: string) => `${path}?dryRun=All`;
const mutation = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });

const webhook = (name: string, more: Json) => ({
  name,
  rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
  clientConfig: { url: "https://127.0.0.1:1/never-called" },
  failurePolicy: "Fail",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  timeoutSeconds: 1,
  ...more,
});

async function manageConditions(api: ConformanceClient, kind: "Mutating" | "Validating"): Promise<void> {
  const collection = `/apis/${version}/${kind.toLowerCase()}webhookconfigurations`;
  const name = `conditions-${api.encoding}`;
  const namespaceSelector = { matchLabels: { "no-such-namespace": "x" } };
  const first = [{ name: "expression-1", expression: "object.metadata.namespace == 'production'" }];
  const created = await expectStatus(
    201,
    api.post(collection, {
      apiVersion: version,
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [webhook("a.example.com", { matchConditions: first, namespaceSelector })],
    }),
  );
  expect(created.webhooks[0].matchConditions).toEqual(first);
  const second = [...first, { name: "expression-2", expression: "object.metadata.namespace == 'staging'" }];
  created.webhooks[0].matchConditions = second;
  const updated = await expectStatus(200, api.put(`${collection}/${name}`, created));
  expect(updated.webhooks[0].matchConditions).toEqual(second);
  await expectStatus(200, api.delete(`${collection}/${name}`));
}

async function rejectConditions(api: ConformanceClient, kind: "Mutating" | "Validating"): Promise<void> {
  const matchConditions = [{ name: "invalid-expression-1", expression: "... [] bad expression" }];
  const answer = await api.post(`/apis/${version}/${kind.toLowerCase()}webhookconfigurations`, {
    apiVersion: version,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: `invalid-${api.encoding}` },
    webhooks: [webhook("a.example.com", { matchConditions })],
  });
  expect(answer.status).toBe(422);
  expect(answer.json.message).toContain("compilation failed");
}

const tests: AreaTest[] = [
  {
    tier: "A",
    codename:
      "[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should validate against a Deployment [Conformance]",
    check: async (api) => {
      const validations = [
        {
          expression: "object.spec.replicas > 1",
          messageExpression: "'wants replicas > 1, got ' + string(object.spec.replicas)",
        },
        {
          expression: "namespaceObject.metadata.name == object.metadata.namespace",
          message: "Internal error! Other namespace should not be allowed.",
        },
      ];
      const binding = { validationActions: ["Deny"] };
      const kind = "ValidatingAdmissionPolicy";
      const { deployments } = await install(api, { purpose: "validate", kind, spec: { validations }, binding });
      const refused = await eventually(
        () => api.post(dry(deployments), aDeployment("replicated", 1)),
        ({ status }) => status === 422,
      );
      expect(refused.json.message).toContain("wants replicas > 1, got 1");
      await expectStatus(201, api.post(deployments, aDeployment("replicated", 2)));
    },
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should allow expressions to refer variables. [Conformance]",
    check: async (api) => {
      const spec = {
        variables: [
          { name: "replicas", expression: "object.spec.replicas" },
          { name: "oddReplicas", expression: "variables.replicas % 2 == 1" },
        ],
        validations: [{ expression: "variables.replicas > 1" }, { expression: "variables.oddReplicas" }],
      };
      const binding = { validationActions: ["Deny"] };
      const kind = "ValidatingAdmissionPolicy";
      const { deployments } = await install(api, { purpose: "variables", kind, spec, binding });
      await eventually(
        () => api.post(dry(deployments), aDeployment("d", 1)),
        ({ status }) => status === 422,
      );
      expect((await api.post(dry(deployments), aDeployment("d", 2))).status).toBe(422);
      await expectStatus(201, api.post(deployments, aDeployment("d", 3)));
    },
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate a Deployment [Conformance]",
    check: async (api) => {
      const spec = {
        reinvocationPolicy: "Never",
        failurePolicy: "Fail",
        mutations: [mutation("Object{spec: Object.spec{replicas: object.spec.replicas + 10}}")],
      };
      const { deployments } = await install(api, { purpose: "mutate", kind: "MutatingAdmissionPolicy", spec });
      await eventually(
        () => api.post(dry(deployments), aDeployment("d", 1)),
        ({ status, json }) => status === 201 && json.spec.replicas === 11,
      );
      expect((await expectStatus(201, api.post(deployments, aDeployment("d", 2)))).spec.replicas).toBe(12);
    },
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate a Deployment with annotations [Conformance]",
    check: async (api) => {
      const spec = {
        reinvocationPolicy: "Never",
        failurePolicy: "Fail",
        mutations: [
          mutation(`Object{metadata: Object.metadata{annotations: {"my-foo-annotation": "myAnnotationValue"}}}`),
        ],
      };
      const { deployments } = await install(api, { purpose: "annotate", kind: "MutatingAdmissionPolicy", spec });
      const annotated = await eventually(
        () => api.post(dry(deployments), aDeployment("d", 1, { other: "stays" })),
        ({ status, json }) => status === 201 && json.metadata.annotations["my-foo-annotation"] !== undefined,
      );
      expect(annotated.json.metadata.annotations).toMatchObject({
        other: "stays",
        "my-foo-annotation": "myAnnotationValue",
      });
    },
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to create and update mutating webhook configurations with match conditions [Conformance]",
    check: (api) => manageConditions(api, "Mutating"),
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to create and update validating webhook configurations with match conditions [Conformance]",
    check: (api) => manageConditions(api, "Validating"),
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should reject mutating webhook configurations with invalid match conditions [Conformance]",
    check: (api) => rejectConditions(api, "Mutating"),
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should reject validating webhook configurations with invalid match conditions [Conformance]",
    check: (api) => rejectConditions(api, "Validating"),
  },
];

describeArea(tests);
