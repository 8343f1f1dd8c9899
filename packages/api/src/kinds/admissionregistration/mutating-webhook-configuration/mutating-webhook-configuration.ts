import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { keyedList } from "../../../schema/types.ts";
import { MutatingWebhook } from "../webhooks/webhook.ts";

export const MutatingWebhookConfiguration = kind(
  "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration",
  "A MutatingWebhookConfiguration lists webhooks that may change the objects of requests.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    webhooks: field(2, keyedList(MutatingWebhook, ["name"]), "The webhooks are called in this order."),
  }),
);
export type MutatingWebhookConfiguration = z.infer<typeof MutatingWebhookConfiguration>;
