import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { keyedList } from "../../../schema/types.ts";
import { ValidatingWebhook } from "../webhooks/webhook.ts";

export const ValidatingWebhookConfiguration = kind(
  "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
  "A ValidatingWebhookConfiguration lists webhooks that accept or reject requests.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    webhooks: field(2, keyedList(ValidatingWebhook, ["name"]), "The webhooks are called at the same time."),
  }),
);
export type ValidatingWebhookConfiguration = z.infer<typeof ValidatingWebhookConfiguration>;
