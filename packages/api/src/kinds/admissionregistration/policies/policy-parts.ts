import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { atomicObject, embedded, field, object, required } from "../../../schema/fields.ts";
import { atomicList, oneOf, text } from "../../../schema/types.ts";
import { MatchCondition, ruleFields } from "../webhooks/webhook.ts";

type PolicyVersion = "v1" | "v1beta1" | "v1alpha1";

/** The types that policies and their bindings consist of, under the names of one version. */
function partsOf(version: PolicyVersion) {
  const named = (kind: string) => `io.k8s.api.admissionregistration.${version}.${kind}`;
  const NamedRule = atomicObject(
    named("NamedRuleWithOperations"),
    "The rule selects requests by operation, resource and name.",
    () => ({
      resourceNames: field(1, atomicList(text), "The object has one of these names; the default is any name."),
      ...embedded(2, ruleFields()),
    }),
  );
  const MatchResources = atomicObject(
    named("MatchResources"),
    "The conditions select requests; rules that exclude win over rules that include.",
    () => ({
      namespaceSelector: field(1, LabelSelector, "Labels of the request's namespace match this; the default is all."),
      objectSelector: field(2, LabelSelector, "Labels of the object, new or old, match this; the default is all."),
      resourceRules: field(3, atomicList(NamedRule), "The request matches any of these rules."),
      excludeResourceRules: field(4, atomicList(NamedRule), "The request matches none of these rules."),
      matchPolicy: field(
        7,
        oneOf("Exact", "Equivalent"),
        "Rules match other versions of the resource as well with Equivalent, the default, and not with Exact.",
      ),
    }),
  );
  const ParamKind = atomicObject(named("ParamKind"), "The kind of objects that hold a policy's parameters.", () => ({
    apiVersion: field(1, text, "API group and version of the parameters, such as v1 or rules.example.com/v1."),
    kind: field(2, text, "Kind of the parameters, such as ConfigMap."),
  }));
  const ParamRef = atomicObject(named("ParamRef"), "The reference names objects with parameters.", () => ({
    name: field(1, text, "Name of the object; it excludes a selector."),
    namespace: field(
      2,
      text,
      "Namespace of the objects; the default is the request's, and objects without a namespace have none.",
    ),
    selector: field(3, LabelSelector, "Labels of the objects match this; it excludes a name."),
    parameterNotFoundAction: field(
      4,
      oneOf("Allow", "Deny"),
      "A request without parameters is admitted with Allow, and left to failurePolicy with Deny.",
    ),
  }));
  const variableFields = () => ({
    name: required(1, text, "Other expressions know the value as variables.NAME."),
    expression: required(2, text, "The CEL expression makes the value when it is used first."),
  });
  const variableText = "A variable is an expression that other expressions use by its name.";
  // Only upstream's v1 declares it as atomic.
  const Variable =
    version === "v1"
      ? atomicObject(named("Variable"), variableText, variableFields)
      : object(named("Variable"), variableText, variableFields);
  const Condition =
    version === "v1"
      ? MatchCondition
      : object(named("MatchCondition"), "The condition is an expression that a request must fulfil.", () => ({
          name: required(1, text, "Name of the condition, a qualified name."),
          expression: required(2, text, "The CEL expression is true for requests that the policy is about."),
        }));
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
