import type { JsonObject, KubernetesMinor } from "@kintsugi/api";
import { serverVersion } from "../discovery/version.ts";
import { type TaggedDocument, taggedDocument } from "../http/tagged-document.ts";
import type { CreateOpenApi, OpenApiDocuments } from "./documents.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import { documentV2 } from "./document-v2.ts";
import { type DocumentInfo, documentV3 } from "./document-v3.ts";
import { encodeGnostic } from "./gnostic.ts";
import { mergeSwagger } from "./merge-swagger.ts";
import { basePathOf } from "./operations.ts";

const gnosticType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

interface KeptVersion {
  served: readonly ServedResource[];
  document: () => TaggedDocument;
}

/**
 * Describes the served kinds. Every document is made at its first request and cached. The document
 * of a version is unaffected when kinds of other versions are added or removed.
 */
export function createOpenApiMaker(minor?: KubernetesMinor): CreateOpenApi {
  const info: DocumentInfo = { version: serverVersion(minor).gitVersion };
  let kept = new Map<string, KeptVersion>();
  return (resources, remotes = { versions: new Map(), swaggers: [] }) => {
    const before = kept;
    kept = new Map();
    for (const [path, served] of groupByPath(resources)) {
      const known = before.get(path);
      const isKnown = known !== undefined && isSameList(known.served, served);
      kept.set(path, isKnown ? known : { served, document: lazily(() => asJson(documentV3(served, info))) });
    }
    const versions = new Map([...kept].map(([path, { document }]) => [path, document] as const));
    for (const [path, document] of remotes.versions) versions.set(path, () => document);
    return createOpenApi(versions, () => mergeSwagger(documentV2(resources, info), remotes.swaggers));
  };
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function createOpenApi(
  versions: ReadonlyMap<string, () => TaggedDocument>,
  makeSwagger: () => JsonObject,
): OpenApiDocuments {
  const index = lazily(() => asJson(indexOf(versions)));
  const swagger = lazily(makeSwagger);
  const swaggerJson = lazily(() => asJson(swagger()));
  const swaggerProtobuf = lazily(() => taggedDocument(gnosticType, encodeGnostic(swagger())));
  return {
    index,
    v3: (path) => versions.get(path)?.(),
    v2: (accept) => (prefersProtobuf(accept) ? swaggerProtobuf() : swaggerJson()),
  };
}

function groupByPath(resources: readonly ServedResource[]): Map<string, ServedResource[]> {
  const groups = new Map<string, ServedResource[]>();
  for (const resource of resources) {
    const path = basePathOf(resource.type);
    const group = groups.get(path);
    if (group === undefined) groups.set(path, [resource]);
    else group.push(resource);
  }
  return groups;
}

/** The hash in the address lets clients cache a document until it changes. */
function indexOf(versions: ReadonlyMap<string, () => TaggedDocument>): JsonObject {
  const paths = [...versions].map(([path, document]): [string, JsonObject] => {
    const hash = document().etag.replaceAll('"', "");
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

/** kubectl requests protobuf by one of two names, with `@` or `.` before the version. */
function prefersProtobuf(accept: string | undefined): boolean {
  const types = (accept ?? "").split(",").map((type) => (type.split(";")[0] ?? "").trim().toLowerCase());
  const first = types.find((type) => isGnostic(type) || ["application/json", "application/*", "*/*"].includes(type));
  return first !== undefined && isGnostic(first);
}

function isGnostic(type: string): boolean {
  return type.replace("@", ".") === gnosticType;
}

function asJson(document: JsonObject): TaggedDocument {
  return taggedDocument("application/json", new TextEncoder().encode(JSON.stringify(document)));
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
