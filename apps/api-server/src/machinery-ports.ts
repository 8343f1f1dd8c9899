// The signatures between the request pipeline and its machinery (patch, openapi, protobuf, table, authorization). Each
// folder exports functions of exactly these shapes; the pipeline is written against them.
import type { ApiError, ResourceType, TypeDescription } from "@kintsugi/api";
import type { CommittedChange, Store } from "@kintsugi/store";

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export type { FieldDescription, TypeDescription } from "@kintsugi/api";

// ---- patch/index.ts ----

/** Each leaves `document` untouched; the result may share parts of it. Limits (operations, copied bytes) are theirs. */
export interface PatchPorts {
  /** RFC 6902. @throws ApiError BadRequest (not a patch) or Invalid (does not apply; upstream's texts). */
  applyJsonPatch(document: JsonObject, operations: JsonValue): JsonObject;
  /** RFC 7386. @throws ApiError BadRequest when the patch is not an object. */
  applyMergePatch(document: JsonObject, patch: JsonValue): JsonObject;
  /** `$patch`, `$retainKeys`, `$setElementOrder`, `$deleteFromPrimitiveList`. @throws ApiError BadRequest or Invalid. */
  applyStrategicMergePatch(document: JsonObject, patch: JsonValue, description: TypeDescription): JsonObject;
}

// ---- openapi/index.ts ----

/** One kind as it is served, with its subresources; discovery and OpenAPI are both made from these. */
export interface ServedResource {
  type: ResourceType;
  description: TypeDescription;
  /** "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch". */
  verbs: readonly string[];
  subresources: readonly ServedSubresource[];
}

export interface ServedSubresource {
  /** "status", "scale", "log". */
  name: string;
  /** What it takes and answers with: autoscaling/v1 Scale for scale; the parent's own kind for status. */
  group: string;
  version: string;
  kind: string;
  /** Absent where the answer is no object (log). */
  description: TypeDescription | undefined;
  verbs: readonly string[];
}

export interface OpenApiDocument {
  contentType: string;
  body: Uint8Array;
  /** Strong ETag and the `hash` query of v3. */
  etag: string;
}

export interface OpenApiDocuments {
  /** GET /openapi/v3. */
  index(): OpenApiDocument;
  /** GET /openapi/v3/<path>: "api/v1", "apis/apps/v1". Built when first asked for. */
  v3(path: string): OpenApiDocument | undefined;
  /** GET /openapi/v2; gnostic protobuf or JSON by the Accept header. */
  v2(accept: string | undefined): OpenApiDocument;
}

export type CreateOpenApi = (resources: readonly ServedResource[]) => OpenApiDocuments;

// ---- protobuf/index.ts ----

/**
 * A body in `application/vnd.kubernetes.protobuf` (`k8s\0` + Unknown) as the JSON object that it stands for, apiVersion and
 * kind included. @throws ApiError BadRequest when it is malformed, UnsupportedMediaType when `describe` knows no such kind.
 */
export type DecodeProtobuf = (
  body: Uint8Array,
  describe: (apiVersion: string, kind: string) => TypeDescription | undefined,
) => JsonObject;

// ---- table/index.ts ----

export interface TableConverter {
  /** meta.k8s.io TableColumnDefinition: name, type, format, description, priority. */
  readonly columnDefinitions: readonly JsonObject[];
  /** meta.k8s.io TableRow: cells and, by `include`, the object (PartialObjectMetadata, whole, or none). */
  row(object: JsonObject, options: TableRowOptions): JsonObject;
}

export interface TableRowOptions {
  include: "None" | "Metadata" | "Object";
  /** "v1" or "v1beta1": the version of meta.k8s.io in PartialObjectMetadata. */
  version: string;
  nowMs: number;
}

/** The columns upstream prints for the kind; Name and Created At for one it does not know. */
export type TableConverterFor = (type: ResourceType) => TableConverter;

// ---- authorization/index.ts ----

export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What one request wants to do. For a non-resource request (`path` set) all of the resource parts are "". */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /** "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", or the method in lower case for paths. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of a non-resource request: "/healthz". */
  readonly path: string;
  /** As sent; the node authorizer allows lists and watches of single objects and of pods bound to the node by it. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** `reason` as upstream puts it into SubjectAccessReview status; "" when there is none. */
export type AuthorizationDecision = { allowed: boolean; reason: string };

export interface Authorizer {
  /** Node, then RBAC; system:masters may everything. Synchronous: it reads roles and graph that it keeps in memory. */
  authorize(attributes: AuthorizationAttributes): AuthorizationDecision;
  /** Changes whenever a decision may; cached decisions of an older generation are void. */
  generation(): number;
  /** For SelfSubjectRulesReview: its `resourceRules` and `nonResourceRules`. */
  rulesFor(user: UserInfo, namespace: string): { resourceRules: JsonObject[]; nonResourceRules: JsonObject[] };
  /** Called in revision order with every committed batch, before its writers are answered. */
  observe(changes: readonly CommittedChange[]): void;
}

/** Reads what the store holds at the start; from then on it is told by `observe`. */
export type CreateAuthorizer = (deps: { store: Pick<Store, "list" | "find"> }) => Authorizer;

/** Upstream's bootstrap ClusterRoles, ClusterRoleBindings, Roles and RoleBindings, with apiVersion and kind. */
export type BootstrapPolicy = () => readonly JsonObject[];

/** What admission sees of a write. */
export interface AdmissionAttributes {
  readonly operation: "create" | "update" | "delete" | "connect";
  readonly user: UserInfo;
  readonly type: ResourceType;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The object as it would be stored (or the body: Binding, Eviction); absent for deletes. */
  readonly object: JsonObject | undefined;
  /** What is stored now; absent for creates. */
  readonly before: JsonObject | undefined;
}

/** Steps of admission that belong to authorization: each returns the refusal, or nothing. */
export interface AuthorizationAdmission {
  /** NodeRestriction as upstream 1.33, CVE-2025-5187 included. `findPod` and `findNode` give what is stored. */
  nodeRestriction(
    attributes: AdmissionAttributes,
    deps: {
      findPod(namespace: string, name: string): JsonObject | undefined;
      findNode(name: string): JsonObject | undefined;
    },
  ): ApiError | undefined;
  /** RBAC escalation: rules in a (Cluster)Role need to be held (or `escalate`); a binding's role likewise (or `bind`). */
  roleEscalation(
    attributes: AdmissionAttributes,
    deps: {
      authorizer: Authorizer;
      findRole(kind: "Role" | "ClusterRole", namespace: string, name: string): JsonObject | undefined;
    },
  ): ApiError | undefined;
  /** OwnerReferencesPermissionEnforcement: blockOwnerDeletion needs update on the owner's finalizers. */
  ownerReferencesPermission(
    attributes: AdmissionAttributes,
    deps: { authorizer: Authorizer; resourceOf(apiVersion: string, kind: string): ResourceType | undefined },
  ): ApiError | undefined;
}
