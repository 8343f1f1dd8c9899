import { RpcError } from "@kintsugi/grpc";
import type { VolumeCapability } from "../messages.ts";
import type { CloudDisk, Books } from "./books.ts";

/** Limit of a name in CSI, in bytes. */
const nameBytesMax = 128;

/** @throws RpcError INVALID_ARGUMENT for a string that is missing or too long. */
export function required(value: string, field: string): string {
  if (value === "") throw new RpcError("INVALID_ARGUMENT", `${field} is required`);
  if (Buffer.byteLength(value) > nameBytesMax && !field.endsWith("path"))
    throw new RpcError("INVALID_ARGUMENT", `${field} has more than ${nameBytesMax} bytes`);
  return value;
}

/** @throws RpcError INVALID_ARGUMENT for a capability that is missing. */
export function requiredCapability(capability: VolumeCapability | undefined): VolumeCapability {
  if (capability === undefined) throw new RpcError("INVALID_ARGUMENT", "volume_capability is required");
  return capability;
}

/** @throws RpcError NOT_FOUND */
export function existingDisk({ disks }: Books, volumeId: string): CloudDisk {
  const disk = Object.hasOwn(disks, volumeId) ? disks[volumeId] : undefined;
  if (disk === undefined) throw new RpcError("NOT_FOUND", `volume ${volumeId} does not exist`);
  return disk;
}
