import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { int32, microTime, text } from "../../../schema/types.ts";

export const LeaseSpec = object(
  "io.k8s.api.coordination.v1.LeaseSpec",
  "Current holder and duration of a lease.",
  () => ({
    holderIdentity: field(1, text, "Identity of the current holder. An empty value means that the lease is free."),
    leaseDurationSeconds: field(
      2,
      int32,
      "Number of seconds after renewTime that candidates must wait before they may acquire the lease.",
    ),
    acquireTime: field(3, microTime, "Time at which the current holder acquired the lease."),
    renewTime: field(4, microTime, "Time of the current holder's last renewal."),
    leaseTransitions: field(5, int32, "Number of times that the lease has changed its holder."),
    strategy: field(6, text, "Strategy of a coordinated leader election, such as OldestEmulationVersion."),
    preferredHolder: field(7, text, "Candidate in favor of which the current holder should release the lease."),
  }),
);
export type LeaseSpec = z.infer<typeof LeaseSpec>;

export const Lease = kind(
  "io.k8s.api.coordination.v1.Lease",
  "A Lease is a lock that expires unless its holder renews the lock. Leases are used for leader election and node heartbeats.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, LeaseSpec, "Current holder and duration of the lease."),
  }),
);
export type Lease = z.infer<typeof Lease>;
