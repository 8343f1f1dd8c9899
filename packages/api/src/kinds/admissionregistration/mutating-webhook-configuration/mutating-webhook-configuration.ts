import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { keyedList } from "../../../schema/types.ts";
import { MutatingWebhook } from "../webhooks/webhook.ts";

export const MutatingWebhookConfiguration = kind(
  "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration",
  "A MutatingWebhookConfiguration lists webhooks that may change the objects of requests.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    webhooks: field(2, keyedList(MutatingWebhook, ["name"]), "Webhooks in the order in which they are called."),
  }),
);
export type MutatingWebhookConfiguration = z.infer<typeof MutatingWebhookConfiguration>;
