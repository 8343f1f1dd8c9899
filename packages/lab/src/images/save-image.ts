import { existsSync } from "node:fs";
import { runCommand } from "@kintsugi/daemon";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import { fullImageName } from "./image-reference.ts";

/** Programs of this host that store images, in the order in which they are queried. */
export const imageStores = ["docker", "containerd"] as const;
export type ImageStore = (typeof imageStores)[number];

/** Namespaces of this host's containerd: of `ctr` and nerdctl, of a kubelet, of a Docker engine. */
const containerdNamespaces = ["default", "k8s.io", "moby"] as const;

/** An image of several gigabytes is written to a disk within this time. */
const saveMaxMs = 10 * 60_000;

/**
 * Writes an image that this host's Docker or containerd has into an archive.
 * @throws InvalidSpec when neither has the image.
 */
export async function saveImage(
  name: string,
  options: { from?: ImageStore | undefined; file: string; containerdSocket: string },
): Promise<ImageStore> {
  // A topology of another author names images too, and a name must not become an option of docker.
  if (name.startsWith("-")) throw new InvalidSpec(`"${name}" is not the name of an image: it begins with a dash`);
  const refused: string[] = [];
  for (const store of options.from === undefined ? imageStores : [options.from]) {
    const problem = await (store === "docker" ? fromDocker : fromContainerd)(name, options);
    if (problem === undefined) return store;
    refused.push(problem);
  }
  throw new InvalidSpec(
    `there is no file "${name}", and no image of that name here: ${refused.join("; ")}; name an archive of \`docker save\`, or pull the image first`,
  );
}

/** Returns the reason why the image cannot be saved, or undefined. */
async function fromDocker(name: string, { file }: { file: string }): Promise<string | undefined> {
  const failure = await failureOf(runCommand("docker", ["image", "inspect", "--format", "{{.Id}}", name]));
  if (failure !== undefined) return whyNotDocker(failure);
  return await failureOf(runCommand("docker", ["save", "--output", file, name], { timeoutMs: saveMaxMs }));
}

/**
 * Explains briefly why Docker does not return an image; its own message starts with its command.
 */
export function whyNotDocker(failure: string): string {
  if (failure.includes("not installed")) return "Docker is not installed";
  if (failure.includes("Cannot connect to the Docker daemon")) return "Docker does not run";
  if (/no such image/i.test(failure)) return "Docker does not have the image";
  return failure;
}

async function fromContainerd(
  name: string,
  { file, containerdSocket }: { file: string; containerdSocket: string },
): Promise<string | undefined> {
  // `ctr` waits for 10 s for a containerd that does not listen.
  if (!existsSync(containerdSocket)) return `no containerd listens at ${containerdSocket}`;
  const fullName = fullImageName(name);
  let lastFailure = "";
  for (const namespace of containerdNamespaces) {
    const ctr = (...args: string[]) =>
      runCommand("ctr", ["--address", containerdSocket, "--namespace", namespace, "images", ...args], {
        timeoutMs: saveMaxMs,
      });
    try {
      const present = await ctr("list", "--quiet", `name==${fullName}`);
      if (present.trim() === "") continue;
      await ctr("export", file, fullName);
      return undefined;
    } catch (error) {
      lastFailure = (error as Error).message;
    }
  }
  return lastFailure === "" ? `containerd has no image ${fullName}` : lastFailure;
}

async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  return await work.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}
