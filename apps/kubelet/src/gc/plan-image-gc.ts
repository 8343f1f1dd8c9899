import type { Container, Image } from "@kintsugi/cri";

export interface ImageGcOptions {
  /** From this share of the file system in use on, images are removed (`--image-gc-high-threshold`). Default 85; 100: never. */
  highThresholdPercent: number;
  /** Until no more than this is in use (`--image-gc-low-threshold`). Default 80. */
  lowThresholdPercent: number;
  /** An image that was first seen more recently stays (`--minimum-image-ttl-duration`). Default 2 min. */
  minAgeMs: number;
  /** An image that was not used for longer goes, however much room there is (imageMaximumGCAge). Default 0: it stays. */
  maxAgeMs: number;
}

/** What is remembered of an image on the node. */
export interface ImageRecord {
  id: string;
  sizeBytes: number;
  pinned: boolean;
  /** -Infinity: it was there when the kubelet began. */
  firstSeenMs: number;
  /** -Infinity: never while this kubelet ran. */
  lastUsedMs: number;
}

/** The records after another look at the node (detectImages). */
export function noteImages(
  before: ReadonlyMap<string, ImageRecord>,
  seen: { images: readonly Image[]; containers: readonly Container[]; sandboxImage: string; isFirstLook: boolean },
  nowMs: number,
): Map<string, ImageRecord> {
  const inUse = new Set(seen.containers.flatMap(({ image, imageRef }) => [image, imageRef]));
  inUse.add(seen.sandboxImage);
  return new Map(
    seen.images.map((image) => {
      const known = before.get(image.id);
      const isUsed = [image.id, ...image.repoTags, ...image.repoDigests].some((name) => inUse.has(name));
      const record: ImageRecord = {
        id: image.id,
        sizeBytes: image.sizeBytes,
        pinned: image.pinned,
        firstSeenMs: known?.firstSeenMs ?? (seen.isFirstLook ? -Infinity : nowMs),
        lastUsedMs: isUsed ? nowMs : (known?.lastUsedMs ?? -Infinity),
      };
      return [image.id, record];
    }),
  );
}

/** How much is to be freed; 0 while there is room. */
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

/** Images to be removed for room, the longest unused first, until `bytes` are freed (freeSpace). Infinity: all that may go. */
export function planImageRemoval(
  records: ReadonlyMap<string, ImageRecord>,
  { bytes, minAgeMs }: { bytes: number; minAgeMs: number },
  nowMs: number,
): ImageRecord[] {
  const removed: ImageRecord[] = [];
  let freedBytes = 0;
  for (const record of removable(records, nowMs)) {
    if (freedBytes >= bytes) break;
    if (nowMs - record.firstSeenMs < minAgeMs) continue;
    removed.push(record);
    freedBytes += record.sizeBytes;
  }
  return removed;
}

/** Images that nobody has used for too long. A kubelet that has not run for that long itself cannot say. */
export function planOldImages(
  records: ReadonlyMap<string, ImageRecord>,
  { maxAgeMs, minAgeMs, sinceMs }: { maxAgeMs: number; minAgeMs: number; sinceMs: number },
  nowMs: number,
): ImageRecord[] {
  if (maxAgeMs === 0 || nowMs - sinceMs <= maxAgeMs) return [];
  return removable(records, nowMs).filter(
    ({ lastUsedMs, firstSeenMs }) => nowMs - lastUsedMs > maxAgeMs && nowMs - firstSeenMs >= minAgeMs,
  );
}

function removable(records: ReadonlyMap<string, ImageRecord>, nowMs: number): ImageRecord[] {
  return [...records.values()]
    .filter(({ pinned, lastUsedMs }) => !pinned && lastUsedMs < nowMs)
    .toSorted((a, b) => compare(a.lastUsedMs, b.lastUsedMs) || compare(a.firstSeenMs, b.firstSeenMs));
}

/** Not the difference: that of two infinities is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
