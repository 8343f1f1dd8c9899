import type { TaggedDocument } from "../http/tagged-document.ts";
import type { RemoteSwagger } from "./merge-swagger.ts";
import type { ServedResource } from "../resources/served-resource.ts";

export interface OpenApiDocuments {
  /** GET /openapi/v3. */
  index(): TaggedDocument;
  /**
   * GET /openapi/v3/<path>: "api/v1", "apis/apps/v1". Built at the first request. The `hash` query
   * of a path is its entity tag without the quotes.
   */
  v3(path: string): TaggedDocument | undefined;
  /** GET /openapi/v2; gnostic protobuf or JSON by the Accept header. */
  v2(accept: string | undefined): TaggedDocument;
}

/** The documents of other servers: OpenAPI 3 documents by their path, and parts of OpenAPI 2. */
export interface RemoteOpenApi {
  readonly versions: ReadonlyMap<string, TaggedDocument>;
  readonly swaggers: readonly RemoteSwagger[];
}

/** Makes the documents of the served kinds, including kinds of other servers. */
export type CreateOpenApi = (resources: readonly ServedResource[], remotes?: RemoteOpenApi) => OpenApiDocuments;
