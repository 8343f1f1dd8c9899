import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { embedded, field, object, required } from "../../../schema/fields.ts";
import { atomicList, bytes, int32, keyedList, oneOf, text } from "../../../schema/types.ts";

const ServiceReference = object(
  "io.k8s.api.admissionregistration.v1.ServiceReference",
  "ServiceReference refers to the Service of a webhook.",
  () => ({
    namespace: required(1, text, "Namespace of the Service."),
    name: required(2, text, "Name of the Service."),
    path: field(3, text, "URL path of the requests to the Service. Defaults to /."),
    port: field(4, int32, "Port of the Service, from 1 to 65535. Defaults to 443."),
  }),
);

export const WebhookClientConfig = object(
  "io.k8s.api.admissionregistration.v1.WebhookClientConfig",
  "Address of a webhook. Exactly one of url and service must be set.",
  () => ({
    service: field(1, ServiceReference, "Service through which the webhook is called."),
    caBundle: field(
      2,
      bytes,
      "Certificate authorities for verifying the webhook's certificate, in PEM. Defaults to the system's certificate authorities on the API server.",
    ),
    url: field(3, text, "URL of the webhook, in the form https://host:port/path."),
  }),
);
export type WebhookClientConfig = z.infer<typeof WebhookClientConfig>;

/** The fields of a rule, which policies have too. */
export const ruleFields = () => ({
  operations: field(
    1,
    atomicList(oneOf("*", "CREATE", "UPDATE", "DELETE", "CONNECT")),
    "Operations that the rule matches: CREATE, UPDATE, DELETE, CONNECT or * for all.",
  ),
  ...embedded(2, {
    apiGroups: field(1, atomicList(text), "API groups of the resources that the rule matches, or * for all."),
    apiVersions: field(2, atomicList(text), "API versions of the resources that the rule matches, or * for all."),
    resources: field(
      3,
      atomicList(text),
      "Resources and subresources that the rule matches, such as pods, pods/log, */scale, pods/* or */*.",
    ),
    scope: field(
      4,
      oneOf("*", "Cluster", "Namespaced"),
      "Scope of the resources that the rule matches: Cluster, Namespaced or * for both. Defaults to *.",
    ),
  }),
});

export const RuleWithOperations = object(
  "io.k8s.api.admissionregistration.v1.RuleWithOperations",
  "Rule that selects requests by operation and resource.",
  ruleFields,
);
export type RuleWithOperations = z.infer<typeof RuleWithOperations>;

export const MatchCondition = object(
  "io.k8s.api.admissionregistration.v1.MatchCondition",
  "MatchCondition is a condition, written in CEL, that a request must meet to be sent to the webhook.",
  () => ({
    name: required(1, text, "Qualified name of the condition, such as example.com/not-a-lease."),
    expression: required(2, text, "CEL expression that must return true for the request to be sent to the webhook."),
  }),
);
export type MatchCondition = z.infer<typeof MatchCondition>;

/** The fields that both types of webhooks have under the same number. */
const common = () => ({
  name: required(1, text, "Name of the webhook, a fully qualified domain name that is unique in the configuration."),
  clientConfig: required(2, WebhookClientConfig, "Address and certificate authorities of the webhook."),
  rules: field(
    3,
    atomicList(RuleWithOperations),
    "Rules that select the requests for the webhook. A request must match at least one rule.",
  ),
  failurePolicy: field(
    4,
    oneOf("Fail", "Ignore"),
    "Handling of failed calls to the webhook: Fail rejects the request, Ignore ignores the failure. Defaults to Fail.",
  ),
  namespaceSelector: field(
    5,
    LabelSelector,
    "Label selector of the namespaces whose requests match. Defaults to all namespaces.",
  ),
  sideEffects: required(
    6,
    oneOf("None", "NoneOnDryRun"),
    "Side effects of the webhook: None, or NoneOnDryRun if the webhook has no side effects on dry-run requests.",
  ),
  timeoutSeconds: field(7, int32, "Timeout of a call in seconds, from 1 to 30. Defaults to 10."),
  admissionReviewVersions: required(
    8,
    atomicList(text),
    "Versions of AdmissionReview that the webhook supports. Must include v1.",
  ),
  matchPolicy: field(
    9,
    oneOf("Exact", "Equivalent"),
    "Matching of rules: Exact matches only the listed API groups and versions, Equivalent matches the same resource in all its groups and versions. Defaults to Equivalent.",
  ),
});

const objectSelectorText = "Label selector that the new or the old object must match. Defaults to all objects.";
const matchConditions = (number: number) =>
  field(
    number,
    keyedList(MatchCondition, ["name"]),
    "Conditions that a request must meet to be sent to the webhook, at most 64.",
  );

export const ValidatingWebhook = object(
  "io.k8s.api.admissionregistration.v1.ValidatingWebhook",
  "ValidatingWebhook is a webhook that accepts or rejects requests.",
  () => ({
    ...common(),
    objectSelector: field(10, LabelSelector, objectSelectorText),
    matchConditions: matchConditions(11),
  }),
);
export type ValidatingWebhook = z.infer<typeof ValidatingWebhook>;

export const MutatingWebhook = object(
  "io.k8s.api.admissionregistration.v1.MutatingWebhook",
  "MutatingWebhook is a webhook that accepts or rejects requests and may change their objects.",
  () => ({
    ...common(),
    reinvocationPolicy: field(
      10,
      oneOf("Never", "IfNeeded"),
      "Reinvocation of the webhook: IfNeeded calls the webhook again if a later webhook has changed the object, Never calls the webhook only once. Defaults to Never.",
    ),
    objectSelector: field(11, LabelSelector, objectSelectorText),
    matchConditions: matchConditions(12),
  }),
);
export type MutatingWebhook = z.infer<typeof MutatingWebhook>;

export type Webhook = ValidatingWebhook | MutatingWebhook;
