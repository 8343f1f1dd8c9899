import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int64, setList, text } from "../../../schema/types.ts";

export const CSITokenRequest = object(
  "io.k8s.api.storage.v1.TokenRequest",
  "TokenRequest describes a token of the pod's service account that is passed to the driver.",
  () => ({
    audience: required(1, text, "Audience of the token. An empty value means the API server."),
    expirationSeconds: field(2, int64, "Lifetime of the token in seconds."),
  }),
);
export type CSITokenRequest = z.infer<typeof CSITokenRequest>;

export const CSIDriverSpec = object("io.k8s.api.storage.v1.CSIDriverSpec", "Requirements of a CSI driver.", () => ({
  attachRequired: field(
    1,
    bool,
    "Requires each volume to be attached to the node before the volume is mounted unless false. Defaults to true.",
  ),
  podInfoOnMount: field(2, bool, "Passes the pod's name and UID to the driver at a mount if true. Defaults to false."),
  volumeLifecycleModes: field(
    3,
    setList(text),
    "Volume modes that the driver supports: Persistent or Ephemeral. Defaults to Persistent.",
  ),
  storageCapacity: field(
    4,
    bool,
    "Makes the scheduler consider the capacity that the driver publishes if true. Defaults to false.",
  ),
  fsGroupPolicy: field(
    5,
    text,
    "Policy for changing the ownership of a volume's files: ReadWriteOnceWithFSType, File or None. Defaults to ReadWriteOnceWithFSType.",
  ),
  tokenRequests: field(6, atomicList(CSITokenRequest), "Tokens that are passed to the driver at a mount."),
  requiresRepublish: field(7, bool, "Republishes volumes periodically if true. Defaults to false."),
  seLinuxMount: field(
    8,
    bool,
    "Declares that the driver supports the SELinux mount option context if true. Defaults to false.",
  ),
  nodeAllocatableUpdatePeriodSeconds: field(
    9,
    int64,
    "Seconds between two updates of the maximum number of volumes on a node. Must be at least 10.",
  ),
  serviceAccountTokenInSecrets: field(
    10,
    bool,
    "Passes tokens to the driver in the secrets of a call instead of the volume context if true. Defaults to false.",
  ),
  preventPodSchedulingIfMissing: field(
    11,
    bool,
    "Prevents pods from being scheduled on nodes without the driver if true. Defaults to false.",
  ),
}));
export type CSIDriverSpec = z.infer<typeof CSIDriverSpec>;

export const CSIDriver = kind(
  "io.k8s.api.storage.v1.CSIDriver",
  "A CSIDriver describes a Container Storage Interface driver that is deployed in the cluster.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, CSIDriverSpec, "Requirements of the driver."),
  }),
);
export type CSIDriver = z.infer<typeof CSIDriver>;
