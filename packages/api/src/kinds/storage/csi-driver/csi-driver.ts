import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int64, setList, text } from "../../../schema/types.ts";

export const CSITokenRequest = object(
  "io.k8s.api.storage.v1.TokenRequest",
  "The request describes a token of the pod's service account that the driver receives.",
  () => ({
    audience: required(1, text, "The token is meant for this audience; an empty value means the API server."),
    expirationSeconds: field(2, int64, "The token is valid for this many seconds."),
  }),
);
export type CSITokenRequest = z.infer<typeof CSITokenRequest>;

export const CSIDriverSpec = object(
  "io.k8s.api.storage.v1.CSIDriverSpec",
  "The spec describes what a CSI driver requires of the cluster.",
  () => ({
    attachRequired: field(1, bool, "A volume is attached to its node before it is mounted; the default is true."),
    podInfoOnMount: field(2, bool, "The driver receives the pod's name and UID at a mount; the default is false."),
    volumeLifecycleModes: field(
      3,
      setList(text),
      "The driver supports volumes of the modes Persistent, the default, and Ephemeral.",
    ),
    storageCapacity: field(
      4,
      bool,
      "The scheduler considers the capacity that the driver publishes; the default is false.",
    ),
    fsGroupPolicy: field(
      5,
      text,
      "Kubernetes changes the owner of files by ReadWriteOnceWithFSType, the default, File or None.",
    ),
    tokenRequests: field(6, atomicList(CSITokenRequest), "The driver receives these tokens at a mount."),
    requiresRepublish: field(7, bool, "The driver is called again from time to time; the default is false."),
    seLinuxMount: field(8, bool, "The driver supports the mount option context of SELinux; the default is false."),
    nodeAllocatableUpdatePeriodSeconds: field(
      9,
      int64,
      "The number of volumes that a node can have is updated every this many seconds, at least 10.",
    ),
    serviceAccountTokenInSecrets: field(
      10,
      bool,
      "The driver receives tokens among its secrets instead of its volume's properties; the default is false.",
    ),
    preventPodSchedulingIfMissing: field(
      11,
      bool,
      "Pods are not scheduled to nodes on which the driver is missing; the default is false.",
    ),
  }),
);
export type CSIDriverSpec = z.infer<typeof CSIDriverSpec>;

export const CSIDriver = kind(
  "io.k8s.api.storage.v1.CSIDriver",
  "A CSIDriver describes a driver of the Container Storage Interface that runs in the cluster.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: required(2, CSIDriverSpec, "The spec describes what the driver requires of the cluster."),
  }),
);
export type CSIDriver = z.infer<typeof CSIDriver>;
