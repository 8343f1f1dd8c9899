import type { Container, Image } from "@kintsugi/cri";
import { annotationNames } from "../../model/labels.ts";
import { isImported } from "../../containers/images/is-imported.ts";

export interface ImageGcOptions {
  /**
   * Images are removed from this share of the file system in use on (`--image-gc-high-threshold`).
   * Default 85; 100: never.
   */
  highThresholdPercent: number;
  /** The removal stops at this share in use (`--image-gc-low-threshold`). Default 80. */
  lowThresholdPercent: number;
  /**
   * An image that was first seen more recently stays (`--minimum-image-ttl-duration`). Default 2
   * min.
   */
  minAgeMs: number;
  /**
   * An image that was not used for longer goes, however much room there is (imageMaximumGCAge).
   * Default 0: it stays.
   */
  maxAgeMs: number;
}

/** The kubelet's memory of an image on the node. */
export interface ImageRecord {
  id: string;
  sizeBytes: number;
  /**
   * The image stays: the runtime pins it or, on a node without a registry, it could not be pulled
   * again.
   */
  pinned: boolean;
  /** A container was made of it, or mounted it, at the last look. */
  inUse: boolean;
  /** -Infinity: it existed when the kubelet began. */
  firstSeenMs: number;
  /** -Infinity: never while this kubelet ran. */
  lastUsedMs: number;
}

export interface SeenImages {
  images: readonly Image[];
  containers: readonly Container[];
  sandboxImage: string;
  /** Images that were imported and never pulled are all that the node will ever have. */
  localImages: boolean;
  isFirstLook: boolean;
}

/** The records after another inspection of the node (detectImages). */
export function noteImages(
  before: ReadonlyMap<string, ImageRecord>,
  seen: SeenImages,
  nowMs: number,
): Map<string, ImageRecord> {
  const inUse = new Set(seen.containers.flatMap(imagesOf));
  inUse.add(seen.sandboxImage);
  return new Map(
    seen.images.map((image) => {
      const known = before.get(image.id);
      const isUsed = [image.id, ...image.repoTags, ...image.repoDigests].some((name) => inUse.has(name));
      const record: ImageRecord = {
        id: image.id,
        sizeBytes: image.sizeBytes,
        pinned: image.pinned || (seen.localImages && isImported(image)),
        inUse: isUsed,
        firstSeenMs: known?.firstSeenMs ?? (seen.isFirstLook ? -Infinity : nowMs),
        lastUsedMs: isUsed ? nowMs : (known?.lastUsedMs ?? -Infinity),
      };
      return [image.id, record];
    }),
  );
}

/** Returns the image that the container was made of, and those that it mounts. */
function imagesOf({ image, imageRef, annotations }: Container): string[] {
  return [image, imageRef, ...(annotations[annotationNames.imageVolumes]?.split(",") ?? [])];
}

/** Returns the bytes to be freed; 0 while there is room. */
export function bytesToFree(
  space: { capacityBytes: number; availableBytes: number },
  { highThresholdPercent, lowThresholdPercent }: ImageGcOptions,
): number {
  if (highThresholdPercent >= 100 || space.capacityBytes === 0) return 0;
  const available = Math.min(space.availableBytes, space.capacityBytes);
  const usedPercent = 100 - Math.floor((available * 100) / space.capacityBytes);
  if (usedPercent < highThresholdPercent) return 0;
  return Math.floor((space.capacityBytes * (100 - lowThresholdPercent)) / 100) - available;
}

/**
 * Images to be removed for room, the longest unused first, until `bytes` are freed (freeSpace).
 * Infinity: all that may go.
 */
export function planImageRemoval(
  records: ReadonlyMap<string, ImageRecord>,
  { bytes, minAgeMs }: { bytes: number; minAgeMs: number },
  nowMs: number,
): ImageRecord[] {
  const removed: ImageRecord[] = [];
  let freedBytes = 0;
  for (const record of removable(records)) {
    if (freedBytes >= bytes) break;
    if (nowMs - record.firstSeenMs < minAgeMs) continue;
    removed.push(record);
    freedBytes += record.sizeBytes;
  }
  return removed;
}

/**
 * Chooses images that were not used for too long. A kubelet that has not run for that long itself
 * cannot know.
 */
export function planOldImages(
  records: ReadonlyMap<string, ImageRecord>,
  { maxAgeMs, minAgeMs, sinceMs }: { maxAgeMs: number; minAgeMs: number; sinceMs: number },
  nowMs: number,
): ImageRecord[] {
  if (maxAgeMs === 0 || nowMs - sinceMs <= maxAgeMs) return [];
  return removable(records).filter(
    ({ lastUsedMs, firstSeenMs }) => nowMs - lastUsedMs > maxAgeMs && nowMs - firstSeenMs >= minAgeMs,
  );
}

/**
 * Not by the time of its last use: that of an image in use is a moment ago already when one comes
 * to judge it.
 */
function removable(records: ReadonlyMap<string, ImageRecord>): ImageRecord[] {
  return [...records.values()]
    .filter(({ pinned, inUse }) => !pinned && !inUse)
    .toSorted((a, b) => compare(a.lastUsedMs, b.lastUsedMs) || compare(a.firstSeenMs, b.firstSeenMs));
}

/** Not the difference: that of two infinities is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
