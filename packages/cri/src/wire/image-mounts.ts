import type { RuntimeVersion } from "../container-runtime.ts";

/** The parts of an image that a runtime can mount in a container. */
export interface ImageMounts {
  whole: boolean;
  subPaths: boolean;
}

type Release = readonly [major: number, minor: number];

/**
 * The first release of each runtime that supports such mounts; CRI itself does not report the
 * support.
 */
const firstWith: Readonly<Record<string, { whole: Release; subPaths: Release } | undefined>> = {
  containerd: { whole: [2, 1], subPaths: [2, 2] },
  "cri-o": { whole: [1, 31], subPaths: [1, 33] },
  // The containers of hollow nodes have no files, so every mount succeeds.
  "kintsugi-fake": { whole: [1, 0], subPaths: [1, 0] },
};

/**
 * Reports how the runtime supports `Mount.image`. A runtime without the field ignores it and tries
 * to mount an empty path of the host, so the version decides.
 */
export function imageMountsOf({
  runtimeName,
  runtimeVersion,
}: Pick<RuntimeVersion, "runtimeName" | "runtimeVersion">): ImageMounts {
  const first = firstWith[runtimeName];
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(runtimeVersion) ?? [];
  if (first === undefined || major === undefined) return { whole: false, subPaths: false };
  const isSince = ([firstMajor, firstMinor]: Release) =>
    Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor);
  return { whole: isSince(first.whole), subPaths: isSince(first.subPaths) };
}
