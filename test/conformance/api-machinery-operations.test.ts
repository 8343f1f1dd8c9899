import { byConditions, describeArea, operationsTests, type OperationsRow, typed } from "./area.ts";

// Kinds of the API's own machinery: priority and fairness, and admission policies.

const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["deployments"] };
const matchConstraints = {
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  resourceRules: [{ ...rule, scope: "*" }],
};
const selectOnly = { matchLabels: { "no-such-namespace": "x" } };
const policies = "admissionregistration.k8s.io/v1";

const rows: OperationsRow[] = [
  [
    "[sig-api-machinery] API priority and fairness should support FlowSchema API operations [Conformance]",
    "A",
    {
      version: "/apis/flowcontrol.apiserver.k8s.io/v1",
      resource: "flowschemas",
      template: typed("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", {
        spec: {
          matchingPrecedence: 10_000,
          priorityLevelConfiguration: { name: "global-default" },
          distinguisherMethod: { type: "ByUser" },
          rules: [
            {
              subjects: [{ kind: "User", user: { name: "example-e2e-non-existent-user" } }],
              nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
            },
          ],
        },
      }),
      change: (object) => {
        object.spec.matchingPrecedence = 9999;
      },
      status: byConditions("PatchStatusFailed", "UpdateStatusFailed"),
    },
  ],
  [
    "[sig-api-machinery] API priority and fairness should support PriorityLevelConfiguration API operations [Conformance]",
    "A",
    {
      version: "/apis/flowcontrol.apiserver.k8s.io/v1",
      resource: "prioritylevelconfigurations",
      template: typed("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", {
        spec: { type: "Limited", limited: { nominalConcurrencyShares: 2, limitResponse: { type: "Reject" } } },
      }),
      change: (object) => {
        object.spec.limited.nominalConcurrencyShares = 4;
      },
      status: byConditions("PatchStatusFailed", "UpdateStatusFailed"),
    },
  ],
  [
    "[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should support ValidatingAdmissionPolicy API operations [Conformance]",
    "A",
    {
      version: `/apis/${policies}`,
      resource: "validatingadmissionpolicies",
      template: typed(policies, "ValidatingAdmissionPolicy", {
        spec: {
          matchConstraints: { ...matchConstraints, namespaceSelector: selectOnly },
          failurePolicy: "Fail",
          validations: [{ expression: "object.spec.replicas > 1", message: "wants replicas", reason: "Invalid" }],
        },
      }),
      change: (object) => {
        object.spec.validations[0].expression = "object.spec.replicas > 2";
      },
      status: byConditions("PatchStatusFailed", "UpdateStatusFailed"),
    },
  ],
  [
    "[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should support ValidatingAdmissionPolicyBinding API operations [Conformance]",
    "A",
    {
      version: `/apis/${policies}`,
      resource: "validatingadmissionpolicybindings",
      template: typed(policies, "ValidatingAdmissionPolicyBinding", {
        spec: { policyName: "replicalimit-policy.example.com", validationActions: ["Deny"] },
      }),
      change: (object) => {
        object.spec.matchResources = { ...matchConstraints, namespaceSelector: selectOnly };
      },
    },
  ],
  [
    "[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should support MutatingAdmissionPolicy API operations [Conformance]",
    "A",
    {
      version: `/apis/${policies}`,
      resource: "mutatingadmissionpolicies",
      template: typed(policies, "MutatingAdmissionPolicy", {
        spec: {
          matchConstraints: { ...matchConstraints, namespaceSelector: selectOnly },
          reinvocationPolicy: "Never",
          failurePolicy: "Fail",
          mutations: [
            {
              patchType: "ApplyConfiguration",
              applyConfiguration: { expression: "Object{spec: Object.spec{replicas: 5}}" },
            },
          ],
        },
      }),
      change: (object) => {
        object.spec.failurePolicy = "Ignore";
      },
    },
  ],
  [
    "[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should support MutatingAdmissionPolicyBinding API operations [Conformance]",
    "A",
    {
      version: `/apis/${policies}`,
      resource: "mutatingadmissionpolicybindings",
      template: typed(policies, "MutatingAdmissionPolicyBinding", { spec: { policyName: "map.example.com" } }),
      change: (object) => {
        object.spec.matchResources = { ...matchConstraints, namespaceSelector: selectOnly };
      },
    },
  ],
];

describeArea(operationsTests(rows));
