import type { Webhook } from "./webhook.ts";

/** Sets the defaults of pkg/apis/admissionregistration/v1/defaults.go, in place. */
export function setWebhookDefaults(webhook: Webhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  const { service } = webhook.clientConfig;
  if (service !== undefined) service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= "*";
}
