import { createHash } from "node:crypto";
import type { CsiController } from "../csi-driver.ts";
import { RpcError } from "@kintsugi/grpc";
import type { CsiSnapshot } from "../messages.ts";
import { type DiskSnapshot, withoutSnapshot, withSnapshot } from "./books.ts";
import type { CloudParts } from "./disk-media.ts";
import { pageOf } from "./pages.ts";
import { existingDisk, required } from "./required.ts";

/** The calls about snapshots, of a cloud with books. */
export function snapshotCalls(
  parts: CloudParts,
): Pick<CsiController, "createSnapshot" | "deleteSnapshot" | "listSnapshots"> {
  const { media, clock, inTurn } = parts;
  return {
    createSnapshot: ({ name, sourceVolumeId, parameters = {} }) =>
      inTurn(async () => {
        required(name, "name");
        required(sourceVolumeId, "source_volume_id");
        const [unknown] = Object.keys(parameters);
        if (unknown !== undefined)
          throw new RpcError(
            "INVALID_ARGUMENT",
            `parameter ${JSON.stringify(unknown)} is unknown: snapshots have no parameters`,
          );
        const [books, { options }] = await Promise.all([media.readBooks(), media.listCloud()]);
        const present = Object.values(books.snapshots).find((snapshot) => snapshot.name === name);
        if (present !== undefined && present.sourceVolumeId !== sourceVolumeId)
          throw new RpcError("ALREADY_EXISTS", `a snapshot of another volume has the name ${name}`);
        const snapshot = present ?? {
          id: snapshotIdOf(name),
          name,
          sourceVolumeId,
          sizeBytes: existingDisk(books, sourceVolumeId).capacityBytes,
          createdAtMs: clock.nowMs(),
        };
        // The copy is made first, because a snapshot in the books always has a copy.
        if (present === undefined) await media.snapshot(snapshot);
        if (present === undefined) await media.writeBooks(withSnapshot(books, snapshot));
        return { snapshot: snapshotOf(snapshot, { nowMs: clock.nowMs(), uploadMs: options.snapshotUploadMs }) };
      }, sourceVolumeId),
    deleteSnapshot: ({ snapshotId }) =>
      inTurn(async () => {
        required(snapshotId, "snapshot_id");
        const books = await media.readBooks();
        if (Object.hasOwn(books.snapshots, snapshotId)) await media.writeBooks(withoutSnapshot(books, snapshotId));
        // A snapshot that is not in the books may have left its copy behind in a crash.
        if (isSnapshotId(snapshotId)) await media.removeSnapshot(snapshotId);
        return {};
      }),
    async listSnapshots(request) {
      const [{ snapshots }, { options }] = await Promise.all([media.readBooks(), media.listCloud()]);
      const wanted = Object.values(snapshots).filter(
        ({ id, sourceVolumeId }) =>
          (request.snapshotId === "" || request.snapshotId === id) &&
          (request.sourceVolumeId === "" || request.sourceVolumeId === sourceVolumeId),
      );
      const { page, nextToken } = pageOf(wanted, request);
      const at = { nowMs: clock.nowMs(), uploadMs: options.snapshotUploadMs };
      return { entries: page.map((snapshot) => ({ snapshot: snapshotOf(snapshot, at) })), nextToken };
    },
  };
}

/** The IDs that this driver assigns; another ID may be a path to another directory. */
export function isSnapshotId(id: string): boolean {
  return /^snap-[0-9a-f]{32}$/.test(id);
}

/** A repeated attempt overwrites the copy that a crash has left, because its name is the same. */
function snapshotIdOf(name: string): string {
  return `snap-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
}

function snapshotOf(
  { id, sourceVolumeId, sizeBytes, createdAtMs }: DiskSnapshot,
  { nowMs, uploadMs }: { nowMs: number; uploadMs: number },
): CsiSnapshot {
  const seconds = Math.floor(createdAtMs / 1000);
  const creationTime = { seconds, nanos: (createdAtMs - seconds * 1000) * 1_000_000 };
  const readyToUse = nowMs >= createdAtMs + uploadMs;
  return { snapshotId: id, sourceVolumeId, sizeBytes, creationTime, readyToUse };
}
