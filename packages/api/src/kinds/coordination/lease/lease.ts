import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { int32, microTime, text } from "../../../schema/types.ts";

export const LeaseSpec = object(
  "io.k8s.api.coordination.v1.LeaseSpec",
  "The spec records the current holder of the lease.",
  () => ({
    holderIdentity: field(
      1,
      text,
      "The current holder has this identity; an empty value means that the lease is free.",
    ),
    leaseDurationSeconds: field(
      2,
      int32,
      "Candidates must wait this many seconds after renewTime before they may take over the lease.",
    ),
    acquireTime: field(3, microTime, "The current holder acquired the lease at this time."),
    renewTime: field(4, microTime, "The current holder last renewed the lease at this time."),
    leaseTransitions: field(5, int32, "The lease has changed its holder this many times."),
    strategy: field(
      6,
      text,
      "A coordinated leader election picks the holder by this strategy, such as OldestEmulationVersion.",
    ),
    preferredHolder: field(7, text, "The current holder should release the lease to this candidate."),
  }),
);
export type LeaseSpec = z.infer<typeof LeaseSpec>;

export const Lease = kind(
  "io.k8s.api.coordination.v1.Lease",
  "A Lease is a claim that expires unless its holder renews it; it serves leader election and the heartbeats of nodes.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, LeaseSpec, "The spec records the current holder of the lease."),
  }),
);
export type Lease = z.infer<typeof Lease>;
