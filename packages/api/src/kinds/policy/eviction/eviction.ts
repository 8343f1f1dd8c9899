import type { z } from "zod";
import { DeleteOptions } from "../../../meta/delete-options.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";

export const Eviction = kind(
  "io.k8s.api.policy.v1.Eviction",
  "An Eviction deletes a pod if its disruption budget allows it.",
  () => ({
    metadata: always(1, ObjectMeta, "The name and namespace identify the pod that is evicted."),
    deleteOptions: field(2, DeleteOptions, "The pod is deleted with these options."),
  }),
);
export type Eviction = z.infer<typeof Eviction>;
