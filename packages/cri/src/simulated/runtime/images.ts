import { createHash } from "node:crypto";
import type { Clock } from "@kintsugi/clock";
import type { Image } from "../../messages/image.ts";
import { RuntimeError } from "../../container-runtime.ts";
import { scriptRegistry } from "../script/container-program.ts";
import { parseDurationMs } from "../script/duration.ts";

/** A registry's answer to a pull. By default the image is available immediately. */
export interface PullPlan {
  afterMs?: number;
  /** The pull fails with this message. */
  error?: string;
}

/** The images of a fake node, and the registry from which it pulls. */
export class FakeImages {
  readonly #clock: Clock;
  readonly #images = new Map<string, Image>();
  /** Plans the answer to a pull; a test may replace it. */
  planPull: (name: string) => PullPlan;

  constructor(clock: Clock, planPull: (name: string) => PullPlan = planScriptedPull) {
    this.#clock = clock;
    this.planPull = planPull;
  }

  /** Adds an image to the node, as an import does. */
  add(reference: string, fields: Partial<Image> = {}): Image {
    const name = fullName(reference);
    const id = `sha256:${createHash("sha256")
      .update(`config of ${contentOf(name)}`)
      .digest("hex")}`;
    const known = this.#images.get(id);
    const image: Image = {
      id,
      repoTags: [...new Set([...(known?.repoTags ?? []), ...(name.includes("@") ? [] : [name])])],
      // Only a pull records a digest, as in containerd.
      repoDigests: known?.repoDigests ?? [],
      sizeBytes: 1_000_000,
      username: "",
      pinned: false,
      ...fields,
    };
    this.#images.set(id, image);
    return image;
  }

  list(): Image[] {
    return [...this.#images.values()];
  }

  /** Finds an image by id, tag or digest. */
  find(reference: string): Image | undefined {
    const name = fullName(reference);
    return this.list().find(
      ({ id, repoTags, repoDigests }) =>
        id === reference || repoTags.includes(name) || repoDigests.includes(reference) || repoDigests.includes(name),
    );
  }

  /** @throws RuntimeError if the registry's plan has an error, or the signal aborts. */
  async pull(reference: string, signal?: AbortSignal): Promise<string> {
    const name = fullName(reference);
    const { afterMs = 0, error } = this.planPull(name);
    if (afterMs > 0) {
      await this.#clock.sleep(afterMs, signal).catch((cause: unknown) => {
        throw new RuntimeError("cancelled", `pulling ${reference} was cancelled`, { cause });
      });
    }
    if (error !== undefined) {
      throw new RuntimeError("failed", `failed to pull and unpack image "${name}": ${error}`);
    }
    const digest = createHash("sha256").update(contentOf(name)).digest("hex");
    return this.add(reference, { repoDigests: [`${repository(name)}@sha256:${digest}`] }).id;
  }

  /** Removes the image under all of its names, as CRI requires. */
  remove(reference: string): void {
    const image = this.find(reference);
    if (image) this.#images.delete(image.id);
  }
}

/**
 * Plans a pull by script.kintsugi.dev/pull-error and pull-after; a host under .invalid never exists
 * (RFC 6761).
 */
function planScriptedPull(name: string): PullPlan {
  const [host = ""] = name.split("/");
  if (host.endsWith(".invalid"))
    return { error: `failed to resolve reference "${name}": lookup ${host}: no such host` };
  if (!name.startsWith(scriptRegistry)) return {};
  const [verb, tag = ""] = name.slice(scriptRegistry.length).split(":");
  if (verb === "pull-error") return { error: tag.replaceAll("-", " ") };
  if (verb === "pull-after") return { afterMs: parseDurationMs(tag) ?? 0 };
  return {};
}

/** "busybox" is docker.io/library/busybox:latest, as in every registry client. */
function fullName(reference: string): string {
  if (/^(?:sha256:)?[0-9a-f]{64}$/.test(reference)) return reference;
  const [first = ""] = reference.split("/");
  const hasRegistry = reference.includes("/") && (/[.:]/.test(first) || first === "localhost");
  const path = hasRegistry ? reference : `docker.io/${reference.includes("/") ? "" : "library/"}${reference}`;
  return /(?::[\w][\w.-]*|@sha256:[0-9a-f]+)$/.test(path.slice(path.lastIndexOf("/"))) ? path : `${path}:latest`;
}

/**
 * Returns the identity of an image's content. Tags of one repository are one image, unless the tag
 * is the script.
 */
function contentOf(name: string): string {
  return name.startsWith(scriptRegistry) ? name : repository(name);
}

function repository(name: string): string {
  return name.replace(/(?::[\w][\w.-]*)?(?:@sha256:[0-9a-f]+)?$/, "");
}
