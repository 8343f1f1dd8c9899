import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { keyedList } from "../../../schema/types.ts";
import { ValidatingWebhook } from "../webhooks/webhook.ts";

export const ValidatingWebhookConfiguration = kind(
  "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
  "A ValidatingWebhookConfiguration lists webhooks that accept or reject requests.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    webhooks: field(
      2,
      keyedList(ValidatingWebhook, ["name"]),
      "Webhooks of the configuration, which are called in parallel.",
    ),
  }),
);
export type ValidatingWebhookConfiguration = z.infer<typeof ValidatingWebhookConfiguration>;
