import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { int64, rawObject } from "../../../schema/types.ts";

export const ControllerRevision = kind(
  "io.k8s.api.apps.v1.ControllerRevision",
  "A ControllerRevision is an immutable snapshot of a workload's template, which the workload's controller uses for updates and rollbacks.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    data: field(2, rawObject, "Recorded state, as a patch that restores the state. Required and immutable."),
    revision: required(3, int64, "Number of the revision. The latest state has the highest number."),
  }),
);
export type ControllerRevision = z.infer<typeof ControllerRevision>;
