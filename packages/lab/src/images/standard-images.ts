import { busyboxImage } from "./busybox-image.ts";
import type { ImageDefinition } from "./image-archive.ts";
import { readStaticProgram } from "./static-program.ts";

/** The reference under which every containerd looks for its pause container. */
export const pauseImage = "registry.k8s.io/pause:3.9";

/**
 * The images of every node, made from the host's own static programs, so that they need not be
 * pulled.
 */
export async function standardImages(): Promise<ImageDefinition[]> {
  return [await pause(), await busyboxImage()];
}

/** catatonit -P sleeps until the signal and reaps orphans, like upstream's pause. */
async function pause(): Promise<ImageDefinition> {
  const content = await readStaticProgram("/usr/bin/catatonit", "catatonit");
  return {
    names: [pauseImage],
    files: [{ type: "file", path: "pause", mode: 0o755, content }],
    entrypoint: ["/pause", "-P"],
  };
}
