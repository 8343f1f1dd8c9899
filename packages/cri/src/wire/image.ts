import type { FilesystemUsage } from "../messages/usage.ts";
import type { Image, PullOptions } from "../messages/image.ts";
import {
  integerFromWire,
  msFromNanoseconds,
  nanosecondsFromMs,
  optionalInteger,
  optionalText,
  type WireInteger,
  wireInteger,
} from "./scalars.ts";

export interface WireImage {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  size: string;
  uid: WireInteger;
  username: string;
  pinned: boolean;
}

export interface WireAuth {
  username: string;
  password: string;
  serverAddress: string;
  identityToken: string;
  registryToken: string;
}

export interface WireFilesystemUsage {
  timestamp: string;
  fsId: { mountpoint: string } | null;
  usedBytes: WireInteger;
  inodesUsed: WireInteger;
}

export function wireImage(image: Image): WireImage {
  return {
    id: image.id,
    repoTags: image.repoTags,
    repoDigests: image.repoDigests,
    size: String(image.sizeBytes),
    uid: wireInteger(image.uid),
    username: image.username,
    pinned: image.pinned,
  };
}

export function imageFromWire(wire: WireImage): Image {
  return {
    id: wire.id,
    repoTags: wire.repoTags,
    repoDigests: wire.repoDigests,
    sizeBytes: Number(wire.size),
    ...optionalInteger("uid", wire.uid),
    username: wire.username,
    pinned: wire.pinned,
  };
}

export function wireAuth(auth: NonNullable<PullOptions["auth"]>): WireAuth {
  return {
    username: auth.username,
    password: auth.password,
    serverAddress: auth.serverAddress ?? "",
    identityToken: auth.identityToken ?? "",
    registryToken: auth.registryToken ?? "",
  };
}

export function authFromWire(wire: WireAuth): NonNullable<PullOptions["auth"]> {
  return {
    username: wire.username,
    password: wire.password,
    ...optionalText("serverAddress", wire.serverAddress),
    ...optionalText("identityToken", wire.identityToken),
    ...optionalText("registryToken", wire.registryToken),
  };
}

export function wireFilesystemUsage(usage: FilesystemUsage): WireFilesystemUsage {
  return {
    timestamp: nanosecondsFromMs(usage.timestampMs),
    fsId: { mountpoint: usage.mountpoint },
    usedBytes: wireInteger(usage.usedBytes),
    inodesUsed: wireInteger(usage.inodesUsed),
  };
}

export function filesystemUsageFromWire(wire: WireFilesystemUsage): FilesystemUsage {
  return {
    timestampMs: msFromNanoseconds(wire.timestamp),
    mountpoint: wire.fsId?.mountpoint ?? "",
    usedBytes: integerFromWire(wire.usedBytes),
    inodesUsed: integerFromWire(wire.inodesUsed),
  };
}
