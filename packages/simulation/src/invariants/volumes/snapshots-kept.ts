import { volumeSnapshotContents, volumeSnapshots } from "@kintsugi/api";
import { LastingTroubles } from "../../lasting-troubles.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";

/**
 * A snapshot that the API has shown is retained: with the policy Retain forever, with Delete until
 * its VolumeSnapshot is deleted.
 */
export function snapshotsAreKept({ known, copiesOfDisks }: InvariantContext): Invariant {
  /**
   * The driver's names of all snapshots that must be retained, even if their objects are deleted.
   */
  const retained = new Set<string>();

  return {
    name: "snapshots-are-kept",
    never:
      "a snapshot of the driver that is removed although its policy is Retain or its VolumeSnapshot is not being deleted",
    observes: [
      onKind(volumeSnapshotContents, ({ type, object }, check) => {
        const { spec, status, metadata } = object;
        const handle = status?.snapshotHandle;
        if (handle !== undefined && spec.deletionPolicy === "Retain") retained.add(handle);
        if (type !== "delete") return;
        const { namespace, name, uid } = spec.volumeSnapshotRef;
        const snapshot = known.of(volumeSnapshots).get(`snapshot.storage.k8s.io/volumesnapshots/${namespace}/${name}`);
        const isToStay = snapshot?.metadata.uid === uid && snapshot?.metadata.deletionTimestamp === undefined;
        // Users of these runs never delete a content.
        check(
          spec.deletionPolicy === "Retain"
            ? `content ${metadata.name} was removed, although it has to be retained`
            : undefined,
        );
        check(isToStay ? `content ${metadata.name} was removed before its snapshot` : undefined);
      }),
    ],
    tick(check) {
      if (known.of(volumeSnapshotContents).size === 0 && retained.size === 0) return;
      const copies = new Set(copiesOfDisks());
      for (const handle of retained)
        check(copies.has(handle) ? undefined : `the retained snapshot ${handle} was removed`);
      for (const { metadata, status } of known.of(volumeSnapshotContents).values()) {
        const handle = status?.snapshotHandle;
        if (handle === undefined || metadata.deletionTimestamp !== undefined) continue;
        check(copies.has(handle) ? undefined : `the snapshot of content ${metadata.name} was removed`);
      }
      for (const { metadata, status } of known.of(volumeSnapshots).values()) {
        if (status?.readyToUse !== true || metadata.deletionTimestamp !== undefined) continue;
        const content = known
          .of(volumeSnapshotContents)
          .get(`snapshot.storage.k8s.io/volumesnapshotcontents/_/${status.boundVolumeSnapshotContentName}`);
        const isThere = copies.has(content?.status?.snapshotHandle ?? "");
        check(isThere ? undefined : `the snapshot ${metadata.name} is ready, but has no copy`);
      }
    },
  };
}

/** A time that is longer than any pause between two attempts to take or to delete a snapshot. */
const ownerlessMs = 120_000;

/** A snapshot has one copy, and a lost response never leaves an unrecorded copy. */
export function unownedCopiesAreRemoved({ known, copiesOfDisks, ...context }: InvariantContext): Invariant {
  const ownerless = new LastingTroubles(context);
  const retained = new Set<string>();

  return {
    name: "unowned-copies-are-removed",
    never: "in a quiet period, a copy of a disk that no VolumeSnapshotContent has named for 120 s",
    observes: [
      onKind(volumeSnapshotContents, ({ object }) => {
        const handle = object.status?.snapshotHandle;
        if (handle !== undefined && object.spec.deletionPolicy === "Retain") retained.add(handle);
      }),
    ],
    tick(check) {
      const named = new Set([...known.of(volumeSnapshotContents).values()].map(({ status }) => status?.snapshotHandle));
      const handles = [...copiesOfDisks()];
      const lasting = ownerless.observe(new Set(handles.filter((each) => !named.has(each) && !retained.has(each))));
      for (const handle of handles) {
        const forMs = lasting.get(handle) ?? 0;
        check(
          forMs > ownerlessMs ? `copy ${handle} has been without a VolumeSnapshotContent for ${forMs} ms` : undefined,
        );
      }
    },
  };
}
