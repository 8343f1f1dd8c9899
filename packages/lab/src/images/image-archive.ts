import { createHash } from "node:crypto";
import { tar, type TarEntry } from "./tar.ts";

/** One image: a single layer and its start command. */
export interface ImageDefinition {
  /** Full references: "docker.io/library/busybox:latest". */
  readonly names: readonly string[];
  readonly files: readonly TarEntry[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: readonly string[];
}

const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
} as const;

/** A fixed date, so that the same files always have the same digest. */
const created = "2026-01-01T00:00:00Z";

/**
 * Packs images as one OCI image layout in a tar, as `ctr images import` and `docker load` read it.
 */
export function imageArchive(images: readonly ImageDefinition[], architecture: string): Buffer {
  const blobs = new Map<string, Buffer>();
  const manifests = images.flatMap((image) => {
    const manifest = addManifest(blobs, image, architecture);
    return image.names.map((name) => ({
      ...manifest,
      annotations: { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name.split(":").at(-1) },
    }));
  });
  const file = (path: string, content: string | Buffer): TarEntry => ({
    type: "file",
    path,
    mode: 0o644,
    content: Buffer.from(content),
  });
  return tar([
    file("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })),
    file("index.json", JSON.stringify({ schemaVersion: 2, manifests })),
    ...[...blobs].map(([digest, content]) => file(`blobs/sha256/${digest}`, content)),
  ]);
}

function addManifest(blobs: Map<string, Buffer>, image: ImageDefinition, architecture: string): Descriptor {
  const layer = addBlob(blobs, tar(image.files), mediaTypes.layer);
  const config = {
    created,
    architecture,
    os: "linux",
    config: { Entrypoint: image.entrypoint, Cmd: image.command, Env: image.environment ?? ["PATH=/bin"] },
    rootfs: { type: "layers", diff_ids: [layer.digest] },
    history: [{ created, created_by: "kintsugi" }],
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: addBlob(blobs, Buffer.from(JSON.stringify(config)), mediaTypes.config),
    layers: [layer],
  };
  return {
    ...addBlob(blobs, Buffer.from(JSON.stringify(manifest)), mediaTypes.manifest),
    platform: { architecture, os: "linux" },
  };
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
}

function addBlob(blobs: Map<string, Buffer>, content: Buffer, mediaType: string): Descriptor {
  const hash = createHash("sha256").update(content).digest("hex");
  blobs.set(hash, content);
  return { mediaType, digest: `sha256:${hash}`, size: content.length };
}
