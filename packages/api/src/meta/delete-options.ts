import type { z } from "zod";
import { field, kind, object } from "../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../schema/types.ts";

export const Preconditions = object("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions", {
  uid: field(1, text),
  resourceVersion: field(2, text),
});
export type Preconditions = z.infer<typeof Preconditions>;

export const DeleteOptions = kind("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", {
  gracePeriodSeconds: field(1, int64),
  preconditions: field(2, Preconditions),
  orphanDependents: field(3, bool),
  propagationPolicy: field(4, oneOf("Orphan", "Background", "Foreground")),
  dryRun: field(5, atomicList(text)),
  ignoreStoreReadErrorWithClusterBreakingPotential: field(6, bool),
});
export type DeleteOptions = z.infer<typeof DeleteOptions>;
