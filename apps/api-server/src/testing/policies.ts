import type { TestServer } from "./test-server.ts";

const group = "/apis/admissionregistration.k8s.io";

export const policiesPath = {
  Validating: `${group}/v1/validatingadmissionpolicies`,
  Mutating: `${group}/v1beta1/mutatingadmissionpolicies`,
} as const;
export const policyBindingsPath = {
  Validating: `${group}/v1/validatingadmissionpolicybindings`,
  Mutating: `${group}/v1beta1/mutatingadmissionpolicybindings`,
} as const;

export const rulesOf = (resource: string, apiGroup = "", operations = ["CREATE", "UPDATE"]) => ({
  resourceRules: [{ apiGroups: [apiGroup], apiVersions: ["v1"], operations, resources: [resource] }],
});

/** A policy for ConfigMaps with these expressions as validations. */
export function aPolicy(name: string, spec: object) {
  return { metadata: { name }, spec: { matchConstraints: rulesOf("configmaps"), ...spec } };
}

/** Creates a validating policy and a binding of the same name. */
export async function bindPolicy(server: TestServer, name: string, spec: object, binding: object = {}): Promise<void> {
  const policy = await server.post(policiesPath.Validating, aPolicy(name, spec));
  const bound = await server.post(policyBindingsPath.Validating, {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"], ...binding },
  });
  if (policy.status !== 201 || bound.status !== 201) throw new Error(policy.json.message ?? bound.json.message);
}
