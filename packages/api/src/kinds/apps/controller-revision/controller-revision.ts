import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { int64, rawObject } from "../../../schema/types.ts";

export const ControllerRevision = kind(
  "io.k8s.api.apps.v1.ControllerRevision",
  "A ControllerRevision is an unchanging copy of a workload's template, kept by its controller for updates and rollbacks.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    data: field(
      2,
      rawObject,
      "The data is the recorded state, a patch that restores it; it is required and cannot be changed.",
    ),
    revision: required(3, int64, "The state with the highest revision is the latest one."),
  }),
);
export type ControllerRevision = z.infer<typeof ControllerRevision>;
