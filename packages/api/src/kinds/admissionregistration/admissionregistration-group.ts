export * from "./mutating-admission-policy-binding/mutating-admission-policy-binding-type.ts";
export type { MutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding/mutating-admission-policy-binding.ts";
export * from "./mutating-admission-policy/mutating-admission-policy-type.ts";
export type { MutatingAdmissionPolicy } from "./mutating-admission-policy/mutating-admission-policy.ts";
export * from "./mutating-webhook-configuration/mutating-webhook-configuration-type.ts";
export type { MutatingWebhookConfiguration } from "./mutating-webhook-configuration/mutating-webhook-configuration.ts";
export type { MatchResources, ParamKind, ParamRef } from "./policies/policy-parts.ts";
export * from "./validating-admission-policy-binding/validating-admission-policy-binding-type.ts";
export type { ValidatingAdmissionPolicyBinding } from "./validating-admission-policy-binding/validating-admission-policy-binding.ts";
export * from "./validating-admission-policy/validating-admission-policy-type.ts";
export type { ValidatingAdmissionPolicy } from "./validating-admission-policy/validating-admission-policy.ts";
export * from "./validating-webhook-configuration/validating-webhook-configuration-type.ts";
export type { ValidatingWebhookConfiguration } from "./validating-webhook-configuration/validating-webhook-configuration.ts";
export type {
  MatchCondition,
  MutatingWebhook,
  RuleWithOperations,
  Webhook,
  WebhookClientConfig,
} from "./webhooks/webhook.ts";
