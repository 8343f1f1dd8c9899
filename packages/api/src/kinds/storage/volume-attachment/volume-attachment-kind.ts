import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import { checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length } from "../../../validation/labels.ts";
import { validateInlineVolumeSpec } from "../../core/persistent-volume/persistent-volume-validation.ts";
import { validateDriverName } from "../../core/persistent-volume/source-validation.ts";
import { defineKind } from "../../define-kind.ts";
import { volumeAttachments } from "./volume-attachment-type.ts";
import { VolumeAttachment, type AttachmentError } from "./volume-attachment.ts";

export const volumeAttachmentKind = defineKind<VolumeAttachment>({
  type: volumeAttachments,
  schema: VolumeAttachment,
  validation: { validate: validateVolumeAttachment, update: validateUpdate, status: validateStatus },
  strategy: { status: true, returnsDeleted: true },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Attacher", "CSI driver that attaches the volume."),
      column("PV", "PersistentVolume to attach."),
      column("Node", "Node that the volume is attached to."),
      { ...column("Attached", "True if the volume is attached."), type: "boolean" },
      ageColumn,
    ],
    cells: (attachment, nowMs) => [
      attachment.metadata.name ?? "",
      attachment.spec.attacher,
      attachment.spec.source.persistentVolumeName ?? "",
      attachment.spec.nodeName,
      attachment.status?.attached ?? false,
      formatAge(attachment, nowMs),
    ],
  },
});

function validateVolumeAttachment({ spec, status }: VolumeAttachment, faults: Faults): void {
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = spec.source;
  validateDriverName(spec.attacher, "spec.attacher", faults);
  const rule = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (volume === undefined && inline === undefined) faults.required("spec.source", rule);
  else if (volume !== undefined && inline !== undefined) faults.forbidden("spec.source", rule);
  else if (volume === "") {
    faults.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
  }
  if (volume !== undefined && volume !== "") {
    faults.invalidEach("spec.source.persistentVolumeName", volume, checkSubdomain1123(volume));
  }
  if (inline !== undefined && volume === undefined) {
    validateInlineVolumeSpec(inline, "spec.source.inlineVolumeSpec", faults);
  }
  faults.invalidEach("spec.nodeName", spec.nodeName, checkSubdomain1123(spec.nodeName));
  if (status !== undefined) validateStatus({ status }, faults);
}

function validateUpdate(after: VolumeAttachment, before: VolumeAttachment, faults: Faults): void {
  faults.immutable("spec", after.spec, sameJson(after.spec, before.spec));
}

const metadataBytesMax = 256 * 1024;
const messageBytesMax = 1024;

function validateStatus({ status }: Pick<VolumeAttachment, "status">, faults: Faults): void {
  const { attachmentMetadata = {}, attachError, detachError } = status ?? {};
  const entries = Object.entries(attachmentMetadata);
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > metadataBytesMax) faults.tooLong("status.attachmentMetadata", metadataBytesMax);
  if (attachError !== undefined) validateError(attachError, "status.attachError", faults);
  if (detachError !== undefined) validateError(detachError, "status.detachError", faults);
}

function validateError({ message = "", errorCode = 0 }: AttachmentError, path: string, faults: Faults): void {
  // The error names the limit of the metadata instead of the message's limit, as in upstream.
  if (utf8Length(message) > messageBytesMax) faults.tooLong(`${path}.message`, metadataBytesMax);
  if (errorCode < 0) faults.invalid(`${path}.errorCode`, errorCode, "must be between 0 and 2147483647, inclusive");
}
