import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { atomicObject, embedded, field, object, required } from "../../../schema/fields.ts";
import { atomicList, oneOf, text } from "../../../schema/types.ts";
import { MatchCondition, ruleFields } from "../webhooks/webhook.ts";

type PolicyVersion = "v1" | "v1beta1" | "v1alpha1";

/** The types of which policies and their bindings consist, under the names of one version. */
// oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
function partsOf(version: PolicyVersion) {
  const named = (kind: string) => `io.k8s.api.admissionregistration.${version}.${kind}`;
  const NamedRule = atomicObject(
    named("NamedRuleWithOperations"),
    "Rule that selects requests by operation, resource and object name.",
    () => ({
      resourceNames: field(1, atomicList(text), "Names of the objects that the rule matches. Defaults to all names."),
      ...embedded(2, ruleFields()),
    }),
  );
  const MatchResources = atomicObject(
    named("MatchResources"),
    "Conditions that select requests. Exclude rules take precedence over include rules.",
    () => ({
      namespaceSelector: field(
        1,
        LabelSelector,
        "Label selector of the namespaces whose requests match. Defaults to all namespaces.",
      ),
      objectSelector: field(
        2,
        LabelSelector,
        "Label selector that the new or the old object must match. Defaults to all objects.",
      ),
      resourceRules: field(
        3,
        atomicList(NamedRule),
        "Rules that select requests. A request must match at least one rule.",
      ),
      excludeResourceRules: field(
        4,
        atomicList(NamedRule),
        "Rules that exclude requests. A request is excluded if it matches at least one rule.",
      ),
      matchPolicy: field(
        7,
        oneOf("Exact", "Equivalent"),
        "Matching of rules: Exact matches only the listed API groups and versions, Equivalent matches the same resource in all its groups and versions. Defaults to Equivalent.",
      ),
    }),
  );
  const ParamKind = atomicObject(named("ParamKind"), "Kind of the objects that contain a policy's parameters.", () => ({
    apiVersion: field(1, text, "API group and version of the parameters, such as v1 or rules.example.com/v1."),
    kind: field(2, text, "Kind of the parameters, such as ConfigMap."),
  }));
  const ParamRef = atomicObject(named("ParamRef"), "Reference to the objects that contain the parameters.", () => ({
    name: field(1, text, "Name of the object that contains the parameters. Cannot be combined with selector."),
    namespace: field(
      2,
      text,
      "Namespace of the objects. Defaults to the namespace of the request. Must be unset for cluster-scoped objects.",
    ),
    selector: field(
      3,
      LabelSelector,
      "Label selector of the objects that contain the parameters. Cannot be combined with name.",
    ),
    parameterNotFoundAction: field(
      4,
      oneOf("Allow", "Deny"),
      "Handling of requests if the parameters do not exist: Allow skips the policy, Deny applies the policy's failurePolicy.",
    ),
  }));
  const variableFields = () => ({
    name: required(1, text, "Name of the variable. Other expressions refer to it as variables.NAME."),
    expression: required(2, text, "CEL expression for the value, evaluated at the first use of the variable."),
  });
  const variableText = "Variable is a named expression that other expressions can refer to.";
  // Only upstream's v1 declares the variable as atomic.
  const Variable =
    version === "v1"
      ? atomicObject(named("Variable"), variableText, variableFields)
      : object(named("Variable"), variableText, variableFields);
  const Condition =
    version === "v1"
      ? MatchCondition
      : object(
          named("MatchCondition"),
          "MatchCondition is a condition, written in CEL, that a request must meet.",
          () => ({
            name: required(1, text, "Qualified name of the condition, such as example.com/not-a-lease."),
            expression: required(
              2,
              text,
              "CEL expression that must return true for the policy to apply to the request.",
            ),
          }),
        );
  return { named, MatchResources, ParamKind, ParamRef, Variable, MatchCondition: Condition };
}

export const policyPartsV1 = partsOf("v1");
export const policyPartsV1beta1 = partsOf("v1beta1");
export const policyPartsV1alpha1 = partsOf("v1alpha1");
export type PolicyParts = typeof policyPartsV1;

export type MatchResources = z.infer<typeof policyPartsV1.MatchResources>;
export type ParamKind = z.infer<typeof policyPartsV1.ParamKind>;
export type ParamRef = z.infer<typeof policyPartsV1.ParamRef>;
export type PolicyVariable = z.infer<typeof policyPartsV1.Variable>;
