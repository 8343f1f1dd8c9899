import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../schema/types.ts";

export const Preconditions = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
  "The preconditions must hold before the server performs the operation.",
  () => ({
    uid: field(1, text, "The object must have this UID."),
    resourceVersion: field(2, text, "The object must be at this version."),
  }),
);
export type Preconditions = z.infer<typeof Preconditions>;

export const DeleteOptions = kind(
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "The options control the deletion of an object.",
  () => ({
    gracePeriodSeconds: field(
      1,
      int64,
      "The object has this many seconds to shut down; 0 deletes it at once, and the default depends on the kind.",
    ),
    preconditions: field(
      2,
      Preconditions,
      "The object is deleted only if these preconditions hold; otherwise the server returns 409 Conflict.",
    ),
    orphanDependents: field(3, bool, "This field is deprecated in favour of propagationPolicy."),
    propagationPolicy: field(
      4,
      oneOf("Orphan", "Background", "Foreground"),
      "Orphan keeps the dependents, Background deletes them after the object, and Foreground deletes them before it.",
    ),
    dryRun: field(5, atomicList(text), "The server checks the request but stores nothing if the value is All."),
    ignoreStoreReadErrorWithClusterBreakingPotential: field(
      6,
      bool,
      "The server deletes an object that it cannot read from its store when this is true, without finalizers or preconditions; the operation may break the cluster.",
    ),
  }),
);
export type DeleteOptions = z.infer<typeof DeleteOptions>;
