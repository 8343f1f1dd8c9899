import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../schema/types.ts";

export const Preconditions = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
  "Preconditions must hold before the server performs the operation.",
  () => ({
    uid: field(1, text, "UID that the object must have."),
    resourceVersion: field(2, text, "Resource version that the object must have."),
  }),
);
export type Preconditions = z.infer<typeof Preconditions>;

export const DeleteOptions = kind(
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "DeleteOptions controls the deletion of an object.",
  () => ({
    gracePeriodSeconds: field(
      1,
      int64,
      "Time for the object to shut down, in seconds. 0 deletes the object immediately. The default depends on the kind.",
    ),
    preconditions: field(
      2,
      Preconditions,
      "Preconditions of the deletion. If a precondition does not hold, the server returns 409 Conflict.",
    ),
    orphanDependents: field(3, bool, "Deprecated in favor of propagationPolicy."),
    propagationPolicy: field(
      4,
      oneOf("Orphan", "Background", "Foreground"),
      "Handling of dependents: Orphan keeps the dependents, Background deletes them after the object, Foreground deletes them before the object.",
    ),
    dryRun: field(5, atomicList(text), "Checks the request without storing anything if the value is All."),
    ignoreStoreReadErrorWithClusterBreakingPotential: field(
      6,
      bool,
      "Deletes an object that the server cannot read from its store if true, ignoring finalizers and preconditions. The operation may break the cluster.",
    ),
  }),
);
export type DeleteOptions = z.infer<typeof DeleteOptions>;
