import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../schema/types.ts";

export const Preconditions = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
  "What has to be true of an object for it to be changed.",
  () => ({
    uid: field(1, text, "The object is still this one."),
    resourceVersion: field(2, text, "The object is still at this version."),
  }),
);
export type Preconditions = z.infer<typeof Preconditions>;

export const DeleteOptions = kind(
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "How an object is to be deleted.",
  () => ({
    gracePeriodSeconds: field(1, int64, "How long the object has to end; 0 deletes at once."),
    preconditions: field(2, Preconditions, "What has to be true of the object."),
    orphanDependents: field(3, bool, "Replaced by propagationPolicy."),
    propagationPolicy: field(
      4,
      oneOf("Orphan", "Background", "Foreground"),
      "Whether dependents are left, deleted afterwards, or deleted first.",
    ),
    dryRun: field(5, atomicList(text), "All to only pretend."),
    ignoreStoreReadErrorWithClusterBreakingPotential: field(6, bool),
  }),
);
export type DeleteOptions = z.infer<typeof DeleteOptions>;
