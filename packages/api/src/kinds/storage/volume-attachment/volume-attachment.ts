import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { bool, int32, map, text, time } from "../../../schema/types.ts";
import { PersistentVolumeSpec } from "../../core/persistent-volume/persistent-volume.ts";

export const VolumeAttachmentSource = object(
  "io.k8s.api.storage.v1.VolumeAttachmentSource",
  "The source is the volume to attach; exactly one member must be set.",
  () => ({
    persistentVolumeName: field(1, text, "The PersistentVolume with this name is attached."),
    inlineVolumeSpec: field(2, PersistentVolumeSpec, "The volume of a pod's own spec is attached."),
  }),
);

export const VolumeAttachmentSpec = object(
  "io.k8s.api.storage.v1.VolumeAttachmentSpec",
  "The spec describes which volume is attached to which node.",
  () => ({
    attacher: required(1, text, "The CSI driver with this name attaches the volume."),
    source: required(2, VolumeAttachmentSource, "The source is the volume to attach."),
    nodeName: required(3, text, "The volume is attached to the node with this name."),
  }),
);
export type VolumeAttachmentSpec = z.infer<typeof VolumeAttachmentSpec>;

export const AttachmentError = object(
  "io.k8s.api.storage.v1.VolumeError",
  "The error was returned by the last attempt to attach or detach.",
  () => ({
    time: field(1, time, "The error occurred at this time."),
    message: field(2, text, "The message describes the error and must hold no secrets."),
    errorCode: field(3, int32, "The driver returned this gRPC code."),
  }),
);
export type AttachmentError = z.infer<typeof AttachmentError>;

export const VolumeAttachmentStatus = object(
  "io.k8s.api.storage.v1.VolumeAttachmentStatus",
  "The status is written by the program that attaches and detaches the volume.",
  () => ({
    attached: required(1, bool, "The volume is attached when this is true."),
    attachmentMetadata: field(2, map(text), "The driver returned these properties; later calls receive them."),
    attachError: field(3, AttachmentError, "The last attempt to attach returned this error."),
    detachError: field(4, AttachmentError, "The last attempt to detach returned this error."),
  }),
);
export type VolumeAttachmentStatus = z.infer<typeof VolumeAttachmentStatus>;

export const VolumeAttachment = kind(
  "io.k8s.api.storage.v1.VolumeAttachment",
  "A VolumeAttachment records the intent to attach a volume to a node.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: required(2, VolumeAttachmentSpec, "The spec describes which volume is attached to which node."),
    status: field(3, VolumeAttachmentStatus, "The status reports the progress of attaching and detaching."),
  }),
);
export type VolumeAttachment = z.infer<typeof VolumeAttachment>;
