import {
  configMaps,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  type ResourceType,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import type { AdmissionAttributes } from "./admission-attributes.ts";
import { createAuthorizer, policyParameters } from "./index.ts";
import { aWrite } from "./testing/admission.ts";
import { aUser, PolicyStore } from "./testing/policy-store.ts";

const group = "rbac.authorization.k8s.io";
const secretParams = { paramKind: { apiVersion: "v1", kind: "Secret" } };
const secretType = { ...configMaps, resource: "secrets", kind: "Secret" };
const mapParams = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
const unservedParams = { paramKind: { apiVersion: "example.com/v1", kind: "Lamp" } };

/**
 * Rights are written as text: "get secrets" in the whole cluster, "get secrets in dev" in a
 * namespace.
 */
function check(held: string[], write: AdmissionAttributes): string {
  const store = new PolicyStore(
    held.flatMap((right, at) => {
      const [verb = "", resource = "", , namespace] = right.split(" ");
      const role = { kind: "ClusterRole", metadata: { name: `r${at}` } };
      const scope = namespace === undefined ? {} : { namespace };
      return [
        { ...role, rules: [{ verbs: [verb], apiGroups: resource === "*" ? ["*"] : [""], resources: [resource] }] },
        {
          kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
          metadata: { name: `b${at}`, ...scope },
          roleRef: { apiGroup: group, kind: "ClusterRole", name: `r${at}` },
          subjects: [{ kind: "User", name: "jane" }],
        },
      ];
    }),
  );
  const refusal = policyParameters(write, {
    authorizer: createAuthorizer({ store }),
    resourceOf: (apiVersion, kind) =>
      [secretType, configMaps].find((type) => type.kind === kind && apiVersion === "v1"),
    findPolicy: (resource, name) =>
      name !== "stored" ? undefined : { spec: resource.startsWith("validating") ? secretParams : mapParams },
  });
  return refusal === undefined ? "admitted" : `${refusal.code} ${refusal.message}`;
}

const on = (type: ResourceType, spec: object, more: Partial<AdmissionAttributes> = {}) =>
  aWrite(type, { name: "p", object: { metadata: { name: "p" }, spec: spec as never }, ...more });
const policy = (spec: object, more?: Partial<AdmissionAttributes>) => on(validatingAdmissionPolicies, spec, more);
const binding = (paramRef: object | undefined, more?: Partial<AdmissionAttributes>, policyName = "stored") =>
  on(validatingAdmissionPolicyBindings, { policyName, ...(paramRef && { paramRef }) }, more);
const mutating = (paramRef: object) => on(mutatingAdmissionPolicyBindings, { policyName: "stored", paramRef });
const update = (spec: object): Partial<AdmissionAttributes> => ({
  operation: "update",
  before: { metadata: { name: "p" }, spec: spec as never },
});

const noKind = (kind: string, apiVersion: string, of = "Validating") =>
  `422 ${of}AdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.paramKind: Forbidden: user "jane" must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
const noRef = (verb: string, of = "Validating") =>
  `422 ${of}AdmissionPolicyBinding.admissionregistration.k8s.io "p" is invalid: spec.paramRef: Forbidden: user "jane" does not have "${verb}" permission on the object referenced by paramRef`;
const one = { name: "key", namespace: "dev" };
const chosen = { selector: {}, namespace: "dev" };

const rows: [name: string, held: string[], write: AdmissionAttributes, result: string][] = [
  ["a policy without parameters", [], policy({}), "admitted"],
  ["a policy whose parameters its author may not read", [], policy(secretParams), noKind("Secret", "v1")],
  [
    "a policy whose author may read the parameters in a namespace",
    ["get secrets in dev"],
    policy(secretParams),
    noKind("Secret", "v1"),
  ],
  ["a policy whose author may read all parameters", ["get secrets"], policy(secretParams), "admitted"],
  [
    "a policy with parameters of an unserved kind",
    ["get secrets"],
    policy(unservedParams),
    noKind("Lamp", "example.com/v1"),
  ],
  [
    "a policy with parameters of an unserved kind by a user who may read everything",
    ["get *"],
    policy(unservedParams),
    "admitted",
  ],
  ["a policy by a privileged user", [], policy(secretParams, { user: aUser("root", "system:masters") }), "admitted"],
  ["an update with the same parameters", [], policy(secretParams, update(secretParams)), "admitted"],
  ["an update to others", [], policy(secretParams, update(mapParams)), noKind("Secret", "v1")],
  ["an update that removes them", [], policy({}, update(secretParams)), "admitted"],
  ["a status", [], policy(secretParams, { ...update({}), subresource: "status" }), "admitted"],
  ["a policy that mutates", [], on(mutatingAdmissionPolicies, secretParams), noKind("Secret", "v1", "Mutating")],
  ["a binding without parameters", [], binding(undefined), "admitted"],
  ["a binding to an object that its author may not read", ["get secrets in other"], binding(one), noRef("get")],
  ["a binding to an object that its author may read", ["get secrets in dev"], binding(one), "admitted"],
  ["a binding to objects of every namespace", ["get secrets in dev"], binding({ name: "key" }), noRef("get")],
  ["a binding with a selector, by an author who may not list", ["get secrets in dev"], binding(chosen), noRef("list")],
  ["a binding with a selector, by an author who may list", ["list secrets in dev"], binding(chosen), "admitted"],
  ["a binding of a policy that does not exist yet", ["get secrets"], binding(one, {}, "later"), noRef("get")],
  ["a binding that mutates", ["get secrets"], mutating(one), noRef("get", "Mutating")],
  ["a binding that mutates, with a readable object", ["get configmaps in dev"], mutating(one), "admitted"],
  [
    "an update of a binding with the same parameters",
    [],
    binding(one, update({ policyName: "stored", paramRef: one })),
    "admitted",
  ],
  ["an update to another policy", [], binding(one, update({ policyName: "other", paramRef: one })), noRef("get")],
  ["an object of another kind", [], on(configMaps, secretParams), "admitted"],
];

test.each(rows)("%s", (_name, held, write, result) => {
  expect(check(held, write)).toBe(result);
});
