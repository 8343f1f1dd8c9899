import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { embedded, field, object, required } from "../../../schema/fields.ts";
import { atomicList, bytes, int32, keyedList, oneOf, text } from "../../../schema/types.ts";

const ServiceReference = object(
  "io.k8s.api.admissionregistration.v1.ServiceReference",
  "The reference names the Service that a webhook is behind.",
  () => ({
    namespace: required(1, text, "The Service is in this namespace."),
    name: required(2, text, "The Service has this name."),
    path: field(3, text, "The request is sent to this path of the Service; the default is /."),
    port: field(4, int32, "The Service has this port, from 1 to 65535; the default is 443."),
  }),
);

export const WebhookClientConfig = object(
  "io.k8s.api.admissionregistration.v1.WebhookClientConfig",
  "The configuration describes the address of a webhook; it has either a URL or a Service.",
  () => ({
    service: field(1, ServiceReference, "The webhook is behind this Service."),
    caBundle: field(
      2,
      bytes,
      "Authorities that sign the webhook's certificate, in PEM; the default is the machine's authorities.",
    ),
    url: field(3, text, "The webhook has this URL, of the form https://host:port/path."),
  }),
);
export type WebhookClientConfig = z.infer<typeof WebhookClientConfig>;

/** The fields of a rule, which policies have too. */
export const ruleFields = () => ({
  operations: field(
    1,
    atomicList(oneOf("*", "CREATE", "UPDATE", "DELETE", "CONNECT")),
    "Operations are CREATE, UPDATE, DELETE, CONNECT, or * for all of them.",
  ),
  ...embedded(2, {
    apiGroups: field(1, atomicList(text), "The resources belong to these API groups, or to any for *."),
    apiVersions: field(2, atomicList(text), "The resources have these API versions, or any for *."),
    resources: field(3, atomicList(text), "Resources, and subresources such as pods/log, */scale, pods/* or */*."),
    scope: field(
      4,
      oneOf("*", "Cluster", "Namespaced"),
      "The scope is Cluster, Namespaced or *, the default, which is both.",
    ),
  }),
});

export const RuleWithOperations = object(
  "io.k8s.api.admissionregistration.v1.RuleWithOperations",
  "The rule selects requests by operation and resource.",
  ruleFields,
);
export type RuleWithOperations = z.infer<typeof RuleWithOperations>;

export const MatchCondition = object(
  "io.k8s.api.admissionregistration.v1.MatchCondition",
  "The condition is an expression that a request must fulfil.",
  () => ({
    name: required(1, text, "Name of the condition, a qualified name."),
    expression: required(2, text, "The CEL expression is true for requests that are sent."),
  }),
);
export type MatchCondition = z.infer<typeof MatchCondition>;

/** The fields that both types of webhooks have under the same number. */
const common = () => ({
  name: required(1, text, "The name is a fully qualified domain name, unique in its configuration."),
  clientConfig: required(2, WebhookClientConfig, "The API server reaches the webhook this way."),
  rules: field(3, atomicList(RuleWithOperations), "The webhook receives requests that match any of these rules."),
  failurePolicy: field(
    4,
    oneOf("Fail", "Ignore"),
    "A request fails when the webhook cannot be called and this is Fail, the default; Ignore lets it pass.",
  ),
  namespaceSelector: field(5, LabelSelector, "Labels of the request's namespace match this; the default is all."),
  sideEffects: required(
    6,
    oneOf("None", "NoneOnDryRun"),
    "The webhook has no side effects, or none with a dry run: None or NoneOnDryRun.",
  ),
  timeoutSeconds: field(7, int32, "A call may take this many seconds, from 1 to 30; the default is 10."),
  admissionReviewVersions: required(
    8,
    atomicList(text),
    "The webhook understands these versions of AdmissionReview, of which one must be v1.",
  ),
  matchPolicy: field(
    9,
    oneOf("Exact", "Equivalent"),
    "Rules match other versions of the resource as well with Equivalent, the default, and not with Exact.",
  ),
});

const objectSelectorText = "Labels of the object, new or old, match this; the default is all.";
const matchConditions = (number: number) =>
  field(
    number,
    keyedList(MatchCondition, ["name"]),
    "The webhook receives requests that fulfil all of these conditions, 64 at most.",
  );

export const ValidatingWebhook = object(
  "io.k8s.api.admissionregistration.v1.ValidatingWebhook",
  "The webhook accepts or rejects requests.",
  () => ({
    ...common(),
    objectSelector: field(10, LabelSelector, objectSelectorText),
    matchConditions: matchConditions(11),
  }),
);
export type ValidatingWebhook = z.infer<typeof ValidatingWebhook>;

export const MutatingWebhook = object(
  "io.k8s.api.admissionregistration.v1.MutatingWebhook",
  "The webhook accepts or rejects requests, and may change their objects.",
  () => ({
    ...common(),
    reinvocationPolicy: field(
      10,
      oneOf("Never", "IfNeeded"),
      "The webhook is called again when a later one changed the object and this is IfNeeded; the default is Never.",
    ),
    objectSelector: field(11, LabelSelector, objectSelectorText),
    matchConditions: matchConditions(12),
  }),
);
export type MutatingWebhook = z.infer<typeof MutatingWebhook>;

export type Webhook = ValidatingWebhook | MutatingWebhook;
