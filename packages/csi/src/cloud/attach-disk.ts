import { RpcError } from "@kintsugi/grpc";
import type { ControllerPublishRequest, ControllerUnpublishRequest } from "../messages.ts";
import { capabilityFault, type Cloud } from "./create-disk.ts";
import type { CloudDisk, Books } from "./books.ts";
import { existingDisk, required, requiredCapability } from "./required.ts";

/**
 * Returns the disk as attached to the node. @throws RpcError by the rules of
 * ControllerPublishVolume.
 */
export function attachDisk(books: Books, cloud: Cloud, request: ControllerPublishRequest): CloudDisk {
  const volumeId = required(request.volumeId, "volume_id");
  const nodeId = required(request.nodeId, "node_id");
  const capability = requiredCapability(request.volumeCapability);
  const fault = capabilityFault([capability]);
  if (fault !== undefined) throw new RpcError("INVALID_ARGUMENT", fault);
  const disk = existingDisk(books, volumeId);
  const node = cloud.nodes.find(({ id }) => id === nodeId);
  if (node === undefined) throw new RpcError("NOT_FOUND", `node ${nodeId} does not exist`);
  const { attachment } = disk;
  if (attachment !== undefined && attachment.nodeId !== nodeId)
    throw new RpcError("FAILED_PRECONDITION", `volume ${volumeId} is attached to node ${attachment.nodeId}`);
  if (attachment !== undefined && attachment.readonly !== request.readonly)
    throw new RpcError("ALREADY_EXISTS", `volume ${volumeId} is attached with readonly ${attachment.readonly}`);
  if (attachment !== undefined) return disk;
  if (disk.zone !== node.zone)
    throw new RpcError(
      "FAILED_PRECONDITION",
      `volume ${volumeId} is in zone ${disk.zone}, node ${nodeId} in ${node.zone}`,
    );
  const attached = Object.values(books.disks).filter((each) => each.attachment?.nodeId === nodeId).length;
  if (attached >= cloud.options.disksPerNodeMax)
    throw new RpcError("RESOURCE_EXHAUSTED", `node ${nodeId} has ${attached} volumes, its maximum number`);
  return { ...disk, attachment: { nodeId, readonly: request.readonly } };
}

/**
 * Returns the disk as detached from the node; undefined if nothing has to change. A disk that no
 * longer exists, or is attached to another node, counts as detached from the node.
 */
export function detachDisk({ disks }: Books, request: ControllerUnpublishRequest): CloudDisk | undefined {
  const disk = disks[required(request.volumeId, "volume_id")];
  if (disk?.attachment === undefined) return undefined;
  if (request.nodeId !== "" && disk.attachment.nodeId !== request.nodeId) return undefined;
  const { attachment: _, ...detached } = disk;
  return detached;
}
