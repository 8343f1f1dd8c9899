import { apiVersionOf } from "@kintsugi/api";
import type { PlainResource, RemoteVersion } from "../discovery/discovery.ts";
import { type TaggedDocument, taggedDocument } from "../http/tagged-document.ts";
import type { RemoteOpenApi } from "../openapi/documents.ts";
import { type RemoteSwagger, swaggerBelow } from "../openapi/merge-swagger.ts";
import type { RemoteService, ApiServiceDirectory } from "./service-directory.ts";

interface KnownDocuments {
  readonly resources: readonly PlainResource[];
  /** The text of `resources`, which is compared to detect a change. */
  readonly text: string;
  readonly openApi: TaggedDocument | undefined;
  readonly swagger: RemoteSwagger | undefined;
}

/** The last documents of other servers: their resources and OpenAPI. */
export class RemoteDocuments {
  readonly #known = new Map<string, KnownDocuments>();
  #generation = 0;

  /** A number that grows with every change. */
  get generation(): number {
    return this.#generation;
  }

  put(
    { name, group, version }: Pick<RemoteService, "name" | "group" | "version">,
    next: { resources: readonly PlainResource[]; openApi: Buffer | undefined; swagger: Buffer | undefined },
  ) {
    const before = this.#known.get(name);
    const text = JSON.stringify(next.resources);
    const openApi = next.openApi === undefined ? before?.openApi : documentOf(next.openApi);
    const isSame = before?.text === text && before.openApi?.etag === openApi?.etag;
    const swagger =
      next.swagger === undefined
        ? before?.swagger
        : swaggerBelow(next.swagger.toString("utf8"), `/apis/${group}/${version}`);
    if (isSame && next.swagger === undefined) return;
    this.#known.set(name, { resources: next.resources, text, openApi, swagger });
    this.#generation++;
  }

  remove(name: string): void {
    if (this.#known.delete(name)) this.#generation++;
  }

  /**
   * The versions of other servers as discovery shows them. The versions of an unavailable server
   * are stale.
   */
  versions(directory: ApiServiceDirectory): RemoteVersion[] {
    return directory.remotes().map(({ name, group, version, isAvailable }) => ({
      group,
      version,
      isCurrent: isAvailable,
      resources: this.#known.get(name)?.resources ?? [],
    }));
  }

  /** False where the stored OpenAPI 2 of a server does not describe its current resources. */
  needsSwagger({ name }: Pick<RemoteService, "name">, openApi: Buffer | undefined): boolean {
    const known = this.#known.get(name);
    if (known?.swagger === undefined) return true;
    return openApi !== undefined && documentOf(openApi).etag !== known.openApi?.etag;
  }

  /**
   * The OpenAPI 3 documents by their path, such as "apis/example.com/v1", and the OpenAPI 2
   * documents.
   */
  openApi(directory: ApiServiceDirectory): RemoteOpenApi {
    const remotes = directory.remotes().map((remote) => ({ remote, known: this.#known.get(remote.name) }));
    return {
      versions: new Map(
        remotes.flatMap(({ remote, known }) =>
          known?.openApi === undefined ? [] : [[`apis/${apiVersionOf(remote)}`, known.openApi] as const],
        ),
      ),
      swaggers: remotes.flatMap(({ known }) => known?.swagger ?? []),
    };
  }
}

function documentOf(body: Buffer): TaggedDocument {
  return taggedDocument("application/json", body);
}
