import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object } from "../../schema/fields.ts";
import { int32, microTime, text } from "../../schema/types.ts";

export const LeaseSpec = object("io.k8s.api.coordination.v1.LeaseSpec", {
  holderIdentity: field(1, text),
  leaseDurationSeconds: field(2, int32),
  acquireTime: field(3, microTime),
  renewTime: field(4, microTime),
  leaseTransitions: field(5, int32),
  strategy: field(6, text),
  preferredHolder: field(7, text),
});
export type LeaseSpec = z.infer<typeof LeaseSpec>;

export const Lease = kind("io.k8s.api.coordination.v1.Lease", {
  metadata: always(1, ObjectMeta),
  spec: field(2, LeaseSpec),
});
export type Lease = z.infer<typeof Lease>;
