import { readdir, statfs } from "node:fs/promises";
import { RpcError } from "@kintsugi/grpc";
import { readJson, writeWhole } from "@kintsugi/daemon";
import type { CloudDirectory } from "../host/cloud-directory.ts";

/** Limits of inline volumes, which quotas do not count. */
export interface InlineLimits {
  /**
   * Bytes of one volume. Default 1 GiB, because larger volumes should be claims, which quotas
   * count.
   */
  readonly volumeBytesMax: number;
  /**
   * Bytes of all inline volumes in the driver's directory. Default 16 GiB. The volumes of one
   * namespace may use half of this limit.
   */
  readonly totalBytesMax: number;
}

export const inlineLimitsDefault: InlineLimits = { volumeBytesMax: 1024 ** 3, totalBytesMax: 16 * 1024 ** 3 };

/** Space that the host keeps for its own programs, however sparse an image is at first. */
const reservedBytes = 512 * 1024 ** 2;

/** The reservation of one volume: ephemeral/<id>.json. */
interface Booking {
  readonly namespace: string;
  readonly bytes: number;
}

/**
 * Reserves the space of a volume before its medium is created. A repetition has no effect.
 * @throws RpcError RESOURCE_EXHAUSTED where the driver, the namespace or the host lacks space.
 */
export async function bookInline(
  cloud: CloudDirectory,
  { id, ...wanted }: Booking & { id: string },
  limits: InlineLimits,
): Promise<void> {
  const bookings = await readBookings(cloud);
  if (bookings.has(id)) return;
  const others = [...bookings.values()];
  const sum = (all: readonly Booking[]) => all.reduce((total, { bytes }) => total + bytes, 0);
  const ofNamespace = others.filter(({ namespace }) => namespace === wanted.namespace);
  if (sum(others) + wanted.bytes > limits.totalBytesMax)
    throw full(`the inline volumes of all pods may have ${limits.totalBytesMax} bytes in total`);
  if (sum(ofNamespace) + wanted.bytes > limits.totalBytesMax / 2)
    throw full(`the inline volumes of a namespace may have ${limits.totalBytesMax / 2} bytes in total`);
  const { bavail, bsize } = await statfs(cloud.ephemeralDirectory);
  if (bavail * bsize < wanted.bytes + reservedBytes)
    throw full(`the host has ${bavail * bsize} free bytes, of which it keeps ${reservedBytes}`);
  await writeWhole(bookingOf(cloud, id), JSON.stringify(wanted));
}

export function bookingOf(cloud: CloudDirectory, id: string): string {
  return `${cloud.ephemeral(id)}.json`;
}

async function readBookings(cloud: CloudDirectory): Promise<Map<string, Booking>> {
  const names = (await readdir(cloud.ephemeralDirectory)).filter((name) => name.endsWith(".json"));
  const ids = names.map((name) => name.slice(0, -".json".length));
  const read = await Promise.all(ids.map(async (id) => [id, await readJson(bookingOf(cloud, id))] as const));
  return new Map(read.flatMap(([id, booking]) => (booking === undefined ? [] : [[id, booking as Booking] as const])));
}

function full(reason: string): RpcError {
  return new RpcError("RESOURCE_EXHAUSTED", `there is no room for the inline volume: ${reason}`);
}
