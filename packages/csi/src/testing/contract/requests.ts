import { expect } from "vitest";
import type { CsiDriver } from "../../csi-driver.ts";
import { isRpcError, type RpcCode } from "@kintsugi/grpc";
import type { CreateVolumeRequest, CsiVolume, VolumeCapability } from "../../messages.ts";

export const mebibyte = 1024 ** 2;

export const writer: VolumeCapability = {
  mount: { fsType: "", mountFlags: [] },
  accessMode: { mode: "SINGLE_NODE_WRITER" },
};

export const severalWriters: VolumeCapability = { ...writer, accessMode: { mode: "MULTI_NODE_MULTI_WRITER" } };

export function aVolumeRequest(name: string, parts: Partial<CreateVolumeRequest> = {}): CreateVolumeRequest {
  return {
    name,
    volumeCapabilities: [writer],
    capacityRange: { requiredBytes: 16 * mebibyte, limitBytes: 0 },
    ...parts,
  };
}

export async function createdVolume(
  driver: CsiDriver,
  name: string,
  parts: Partial<CreateVolumeRequest> = {},
): Promise<CsiVolume> {
  const { volume } = await driver.createVolume(aVolumeRequest(name, parts));
  expect(volume).toBeDefined();
  return volume as CsiVolume;
}

export function attached(driver: CsiDriver, volumeId: string, nodeId: string) {
  return driver.controllerPublishVolume({ volumeId, nodeId, volumeCapability: writer, readonly: false });
}

/** Expects the call to be rejected with the code. */
export async function expectRefusal(call: Promise<unknown>, code: RpcCode): Promise<void> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isRpcError(error) ? error.code : error).toBe(code);
}

export const unknownId = "vol-00000000-0000-4000-8000-000000000000";
