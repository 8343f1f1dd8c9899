import type { RemoteSwagger } from "./merge-swagger.ts";
import type { ServedResource } from "../resources/served-resource.ts";

export interface OpenApiDocument {
  contentType: string;
  body: Uint8Array;
  /** Strong ETag and the `hash` query of v3. */
  etag: string;
}

export interface OpenApiDocuments {
  /** GET /openapi/v3. */
  index(): OpenApiDocument;
  /** GET /openapi/v3/<path>: "api/v1", "apis/apps/v1". Built at the first request. */
  v3(path: string): OpenApiDocument | undefined;
  /** GET /openapi/v2; gnostic protobuf or JSON by the Accept header. */
  v2(accept: string | undefined): OpenApiDocument;
}

/** The documents of other servers: those of OpenAPI 3 by their path, and parts of OpenAPI 2. */
export interface RemoteOpenApi {
  readonly versions: ReadonlyMap<string, OpenApiDocument>;
  readonly swaggers: readonly RemoteSwagger[];
}

/** Makes the documents of the served kinds, with those of other servers. */
export type CreateOpenApi = (resources: readonly ServedResource[], remotes?: RemoteOpenApi) => OpenApiDocuments;
