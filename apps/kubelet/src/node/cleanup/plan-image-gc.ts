import type { Container, Image } from "@kintsugi/cri";
import { annotationNames } from "../../model/labels.ts";
import { isImported } from "../../containers/images/is-imported.ts";

export interface ImageGcOptions {
  /**
   * Images are removed when this share of the file system is in use (`--image-gc-high-threshold`).
   * Default 85; 100: never.
   */
  highThresholdPercent: number;
  /**
   * Removal stops when this share of the file system is in use (`--image-gc-low-threshold`).
   * Default 80.
   */
  lowThresholdPercent: number;
  /**
   * An image that was first seen more recently is retained (`--minimum-image-ttl-duration`).
   * Default 2 min.
   */
  minAgeMs: number;
  /**
   * An image that was unused for longer is removed, however much space is free (imageMaximumGCAge).
   * Default 0: it is retained.
   */
  maxAgeMs: number;
}

/** The kubelet's record of an image on the node. */
export interface ImageRecord {
  id: string;
  sizeBytes: number;
  /**
   * The image is retained, because the runtime pins it or because, on a node without a registry, it
   * could not be pulled again.
   */
  pinned: boolean;
  /** A container used it as its image or as a mount at the last inspection. */
  inUse: boolean;
  /** -Infinity if the image existed when the kubelet started. */
  firstSeenMs: number;
  /** -Infinity: it was never used while this kubelet ran. */
  lastUsedMs: number;
}

export interface SeenImages {
  images: readonly Image[];
  containers: readonly Container[];
  sandboxImage: string;
  /** True where the node has only imported images that were never pulled. */
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

/** Returns the container's image and the images that it mounts. */
function imagesOf({ image, imageRef, annotations }: Container): string[] {
  return [image, imageRef, ...(annotations[annotationNames.imageVolumes]?.split(",") ?? [])];
}

/** Returns the bytes to be freed; 0 while there is enough space. */
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
 * Images to be removed to free space, the longest unused first, until `bytes` are freed
 * (freeSpace). Infinity: all images that may be removed.
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
 * Chooses images that were unused for too long. A kubelet that has run for a shorter time cannot
 * determine this.
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
 * Reports whether an image may be removed. The time of its last use is not compared, because the
 * time of an image in use is already slightly in the past at this check.
 */
function removable(records: ReadonlyMap<string, ImageRecord>): ImageRecord[] {
  return [...records.values()]
    .filter(({ pinned, inUse }) => !pinned && !inUse)
    .toSorted((a, b) => compare(a.lastUsedMs, b.lastUsedMs) || compare(a.firstSeenMs, b.firstSeenMs));
}

/**
 * The order is not computed as a difference, because the difference of two infinities is not a
 * number.
 */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
