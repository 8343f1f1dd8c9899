import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { bool, int32, map, text, time } from "../../../schema/types.ts";
import { PersistentVolumeSpec } from "../../core/persistent-volume/persistent-volume.ts";

export const VolumeAttachmentSource = object(
  "io.k8s.api.storage.v1.VolumeAttachmentSource",
  "VolumeAttachmentSource is the volume to attach. Exactly one field must be set.",
  () => ({
    persistentVolumeName: field(1, text, "Name of the PersistentVolume to attach."),
    inlineVolumeSpec: field(2, PersistentVolumeSpec, "Spec of an inline volume to attach."),
  }),
);

export const VolumeAttachmentSpec = object(
  "io.k8s.api.storage.v1.VolumeAttachmentSpec",
  "Volume to attach and the node to attach it to.",
  () => ({
    attacher: required(1, text, "Name of the CSI driver that attaches the volume."),
    source: required(2, VolumeAttachmentSource, "Volume to attach to the node."),
    nodeName: required(3, text, "Name of the node to attach the volume to."),
  }),
);
export type VolumeAttachmentSpec = z.infer<typeof VolumeAttachmentSpec>;

export const AttachmentError = object(
  "io.k8s.api.storage.v1.VolumeError",
  "VolumeError is the error of the last attempt to attach or detach.",
  () => ({
    time: field(1, time, "Time of the error."),
    message: field(2, text, "Human-readable description of the error. Must not contain secrets."),
    errorCode: field(3, int32, "Code of the gRPC error that the driver returned."),
  }),
);
export type AttachmentError = z.infer<typeof AttachmentError>;

export const VolumeAttachmentStatus = object(
  "io.k8s.api.storage.v1.VolumeAttachmentStatus",
  "Observed state of an attachment, written by the program that attaches and detaches the volume.",
  () => ({
    attached: required(1, bool, "True if the volume is attached."),
    attachmentMetadata: field(
      2,
      map(text),
      "Properties that the driver returned. The properties are passed to later calls.",
    ),
    attachError: field(3, AttachmentError, "Error of the last attempt to attach."),
    detachError: field(4, AttachmentError, "Error of the last attempt to detach."),
  }),
);
export type VolumeAttachmentStatus = z.infer<typeof VolumeAttachmentStatus>;

export const VolumeAttachment = kind(
  "io.k8s.api.storage.v1.VolumeAttachment",
  "A VolumeAttachment records the intent to attach a volume to a node.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, VolumeAttachmentSpec, "Volume to attach and the node to attach it to."),
    status: field(3, VolumeAttachmentStatus, "Observed state of the attachment."),
  }),
);
export type VolumeAttachment = z.infer<typeof VolumeAttachment>;
