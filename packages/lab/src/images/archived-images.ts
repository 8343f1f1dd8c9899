import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import { runCommand } from "@kintsugi/daemon";
import { fullImageName } from "./image-reference.ts";

/** The list of images in an archive of `docker save`. */
const DockerManifest = z.array(z.object({ RepoTags: z.array(z.string()).nullish() }));

/** The list of images in an OCI image layout (image-layout.md of opencontainers/image-spec). */
const OciIndex = z.object({
  manifests: z.array(z.object({ annotations: z.record(z.string(), z.string()).optional() })),
});

/** A compressed archive of several gigabytes is read within this time. */
const readMaxMs = 5 * 60_000;

/**
 * Reads the full names of the images in a tar (compressed or not) of `docker save` or of an OCI
 * image layout, or in a directory with an OCI image layout.
 * @throws InvalidSpec when it has neither form, or when its images have no names.
 */
export async function archivedImages(path: string): Promise<string[]> {
  const read = (await stat(path)).isDirectory() ? memberOfDirectory(path) : memberOfTar(path);
  const docker = await read("manifest.json");
  const names = docker === undefined ? namesOfIndex(await read("index.json"), path) : namesOfManifest(docker, path);
  if (names.length > 0) return [...new Set(names)];
  throw new InvalidSpec(
    `the images in ${path} have no names, so no pod could use them: save them by name, as in \`docker save NAME:TAG\``,
  );
}

type ReadMember = (name: string) => Promise<string | undefined>;

function memberOfDirectory(directory: string): ReadMember {
  return (name) => readFile(join(directory, name), "utf8").catch(() => undefined);
}

function memberOfTar(archive: string): ReadMember {
  return async (name) => {
    // GNU tar detects whether and how the archive is compressed.
    const extract = (member: string) =>
      runCommand("tar", ["--extract", "--to-stdout", "--occurrence=1", "--file", archive, member], {
        timeoutMs: readMaxMs,
      });
    try {
      return await extract(name).catch(() => extract(`./${name}`));
    } catch (error) {
      const { message } = error as Error;
      if (message.includes("Not found in archive") && !message.includes("not look like a tar archive"))
        return undefined;
      throw new InvalidSpec(`${archive} is not a tar archive: ${message}`, { cause: error });
    }
  };
}

function namesOfManifest(text: string, path: string): string[] {
  return parsed(DockerManifest, text, `${path}: manifest.json`).flatMap((image) =>
    (image.RepoTags ?? []).map(fullImageName),
  );
}

function namesOfIndex(text: string | undefined, path: string): string[] {
  if (text === undefined)
    throw new InvalidSpec(
      `${path} is not an archive of images: it has neither the manifest.json of \`docker save\` nor the index.json of an OCI image layout`,
    );
  return parsed(OciIndex, text, `${path}: index.json`).manifests.flatMap(({ annotations = {} }) => {
    // A tag alone, as some programs write it, is not a name that a pod could use.
    const name = annotations["io.containerd.image.name"] ?? annotations["org.opencontainers.image.ref.name"];
    return name === undefined || !/[/:]/.test(name) ? [] : [fullImageName(name)];
  });
}

function parsed<T>(schema: z.ZodType<T>, text: string, what: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new InvalidSpec(`${what} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

/** Packs a directory with an OCI image layout into an archive that containerd imports. */
export async function packLayout(directory: string, file: string): Promise<void> {
  await runCommand("tar", ["--create", "--file", file, "--directory", directory, "."], { timeoutMs: readMaxMs });
}
