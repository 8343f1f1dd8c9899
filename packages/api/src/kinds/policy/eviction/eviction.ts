import type { z } from "zod";
import { DeleteOptions } from "../../../meta/delete-options.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";

export const Eviction = kind(
  "io.k8s.api.policy.v1.Eviction",
  "Asks for a pod to leave its node, as far as its disruption budget allows.",
  () => ({
    metadata: always(1, ObjectMeta),
    deleteOptions: field(2, DeleteOptions, "How the pod is to be deleted."),
  }),
);
export type Eviction = z.infer<typeof Eviction>;
