import type { z } from "zod";
import { DeleteOptions } from "../../../meta/delete-options.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";

export const Eviction = kind(
  "io.k8s.api.policy.v1.Eviction",
  "An Eviction deletes a pod if its disruption budget allows it.",
  () => ({
    metadata: always(1, ObjectMeta, "Name and namespace of the pod."),
    deleteOptions: field(2, DeleteOptions, "Options for the deletion of the pod."),
  }),
);
export type Eviction = z.infer<typeof Eviction>;
