import { createHash } from "node:crypto";
import { apiVersionOf } from "@kintsugi/api";
import type { PlainResource, RemoteVersion } from "../discovery/discovery.ts";
import type { OpenApiDocument } from "../openapi/documents.ts";
import type { RemoteService, ApiServiceDirectory } from "./service-directory.ts";

interface KnownDocuments {
  readonly resources: readonly PlainResource[];
  /** The text of `resources`, by which a change is recognized. */
  readonly text: string;
  readonly openApi: OpenApiDocument | undefined;
}

/** The documents that other servers last answered with: what they serve, and its OpenAPI. */
export class RemoteDocuments {
  readonly #known = new Map<string, KnownDocuments>();
  #generation = 0;

  /** A number that every change makes larger. */
  get generation(): number {
    return this.#generation;
  }

  put(
    { name }: Pick<RemoteService, "name">,
    next: { resources: readonly PlainResource[]; openApi: Buffer | undefined },
  ) {
    const before = this.#known.get(name);
    const text = JSON.stringify(next.resources);
    const openApi = next.openApi === undefined ? before?.openApi : documentOf(next.openApi);
    if (before?.text === text && before.openApi?.etag === openApi?.etag) return;
    this.#known.set(name, { resources: next.resources, text, openApi });
    this.#generation++;
  }

  remove(name: string): void {
    if (this.#known.delete(name)) this.#generation++;
  }

  /** The versions of other servers as discovery shows them; one that is away is stale. */
  versions(directory: ApiServiceDirectory): RemoteVersion[] {
    return directory.remotes().map(({ name, group, version, isAvailable }) => ({
      group,
      version,
      isCurrent: isAvailable,
      resources: this.#known.get(name)?.resources ?? [],
    }));
  }

  /** The documents of OpenAPI 3 by their path: "apis/example.com/v1". */
  openApi(directory: ApiServiceDirectory): Map<string, OpenApiDocument> {
    return new Map(
      directory.remotes().flatMap((remote) => {
        const document = this.#known.get(remote.name)?.openApi;
        return document === undefined ? [] : [[`apis/${apiVersionOf(remote)}`, document] as const];
      }),
    );
  }
}

function documentOf(body: Buffer): OpenApiDocument {
  const hash = createHash("sha256").update(body).digest("hex").toUpperCase();
  return { contentType: "application/json", body, etag: `"${hash}"` };
}
