import { defineKind } from "../../define-kind.ts";
import { webhookExpressionStrategy } from "../policies/policy-expressions.ts";
import { setWebhookDefaults } from "../webhooks/webhook-defaults.ts";
import { webhookTable } from "../webhooks/webhook-table.ts";
import { validateWebhooks } from "../webhooks/webhook-validation.ts";
import { validatingWebhookConfigurations } from "./validating-webhook-configuration-type.ts";
import { ValidatingWebhookConfiguration } from "./validating-webhook-configuration.ts";

export const validatingWebhookConfigurationKind = defineKind<ValidatingWebhookConfiguration>({
  type: validatingWebhookConfigurations,
  schema: ValidatingWebhookConfiguration,
  defaults: ({ webhooks }) => webhooks?.forEach(setWebhookDefaults),
  validation: { validate: ({ webhooks = [] }, faults) => validateWebhooks(webhooks, faults) },
  strategy: { generation: "content", ...webhookExpressionStrategy() },
  table: webhookTable,
});
