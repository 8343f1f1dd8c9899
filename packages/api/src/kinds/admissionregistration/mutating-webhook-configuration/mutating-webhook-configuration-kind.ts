import type { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import { webhookExpressionStrategy } from "../policies/policy-expressions.ts";
import { setWebhookDefaults } from "../webhooks/webhook-defaults.ts";
import { webhookTable } from "../webhooks/webhook-table.ts";
import { validateWebhooks } from "../webhooks/webhook-validation.ts";
import { mutatingWebhookConfigurations } from "./mutating-webhook-configuration-type.ts";
import { MutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";

export const mutatingWebhookConfigurationKind = defineKind<MutatingWebhookConfiguration>({
  type: mutatingWebhookConfigurations,
  schema: MutatingWebhookConfiguration,
  defaults: ({ webhooks = [] }) => {
    for (const webhook of webhooks) {
      setWebhookDefaults(webhook);
      webhook.reinvocationPolicy ??= "Never";
    }
  },
  validation: { validate },
  strategy: { generation: "content", ...webhookExpressionStrategy() },
  table: webhookTable,
});

const reinvocationPolicies = ["IfNeeded", "Never"];

function validate({ webhooks = [] }: MutatingWebhookConfiguration, faults: Faults): void {
  validateWebhooks(webhooks, faults);
  for (const [index, { reinvocationPolicy: policy }] of webhooks.entries()) {
    if (policy !== undefined && !reinvocationPolicies.includes(policy)) {
      faults.notSupported(`webhooks[${index}].reinvocationPolicy`, policy, reinvocationPolicies);
    }
  }
}
