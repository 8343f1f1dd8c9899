import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { int64, rawObject } from "../../../schema/types.ts";

export const ControllerRevision = kind(
  "io.k8s.api.apps.v1.ControllerRevision",
  "A ControllerRevision is an immutable copy of a workload's template, kept by its controller for updates and rollbacks.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    data: field(2, rawObject, "Recorded state, in the form of a patch that restores it. Required and immutable."),
    revision: required(3, int64, "Number of the revision. The latest state has the highest number."),
  }),
);
export type ControllerRevision = z.infer<typeof ControllerRevision>;
