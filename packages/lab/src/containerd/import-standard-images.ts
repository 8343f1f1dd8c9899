import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Clock } from "@kintsugi/clock";
import { writeWhole } from "@kintsugi/daemon";
import { imageArchive } from "../images/image-archive.ts";
import { ociArchitecture } from "../images/oci-architecture.ts";
import { standardImages } from "../images/standard-images.ts";
import { importImages, waitForSocket } from "./import-images.ts";

export interface StandardImagesTarget {
  socket: string;
  /** The file that records which images were imported. */
  marker: string;
  /** The temporary path of the archive. */
  archive: string;
}

/** Imports the images that need no registry, unless exactly these images were imported before. */
export async function importStandardImages(clock: Clock, target: StandardImagesTarget): Promise<void> {
  const archive = imageArchive(await standardImages(), ociArchitecture());
  const digest = createHash("sha256").update(archive).digest("hex");
  await waitForSocket(clock, target.socket);
  if ((await readFile(target.marker, "utf8").catch(() => "")) === digest) return;
  await writeWhole(target.archive, archive);
  await importImages(target.socket, target.archive);
  await writeWhole(target.marker, digest);
}
