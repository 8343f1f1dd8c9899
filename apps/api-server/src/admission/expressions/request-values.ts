import { type JsonObject, type JsonValue, namespaces, notFound } from "@kintsugi/api";
import { celAuthorizer, type CelWorld } from "@kintsugi/cel";
import type { Authorizer } from "../../authorization/authorization.ts";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey } from "../../resources/keys.ts";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import type { AdmissionRequest } from "../admission.ts";
import { describeRequest } from "./describe-request.ts";
import { celOfJson } from "../../json-value.ts";
import { shownAs } from "../matching/shown-object.ts";

/** The variables that a request provides to expressions. Each is made at its first use. */
export class RequestValues {
  readonly #request: AdmissionRequest;
  readonly #resource: Resource;
  readonly #made = new Map<string, unknown>();

  /** @param resource the representation in which the request is shown. */
  constructor(request: AdmissionRequest, resource: Resource) {
    this.#request = request;
    this.#resource = resource;
  }

  get object(): unknown {
    return this.#once("object", () => this.#shown(this.#request.object));
  }

  get oldObject(): unknown {
    return this.#once("oldObject", () => this.#shown(this.#request.before));
  }

  get request(): unknown {
    return this.#once("request", () =>
      celOfJson(describeRequest(this.#request, this.#resource) as unknown as JsonObject),
    );
  }

  get authorizer(): unknown {
    const { subresource, namespace, name, requested } = this.#request;
    const { group, resource } = requested;
    return this.#once("authorizer", () => celAuthorizer({ group, resource, subresource, namespace, name }));
  }

  /**
   * The namespace of the request, without its internal fields; null for cluster-scoped objects.
   * @throws ApiError NotFound
   */
  get namespaceObject(): unknown {
    return this.#once("namespaceObject", () => celOfJson(namespaceOf(this.#request)));
  }

  #once(name: string, make: () => unknown): unknown {
    if (!this.#made.has(name)) this.#made.set(name, make());
    return this.#made.get(name);
  }

  #shown(object: KubeObject | undefined): unknown {
    const { subresource } = this.#request;
    return celOfJson(shownAs(this.#resource, object, subresource) as unknown as JsonObject | undefined);
  }
}

/** Upstream's CreateNamespaceObject. */
const metadataFields = [
  "name",
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
];

function namespaceOf({ resource, namespace, reader }: AdmissionRequest): JsonObject | undefined {
  const { group, resource: plural } = resource.type;
  if (namespace === "" || (group === "" && plural === "namespaces")) return undefined;
  const entry = reader.find(storeKey(namespaces, "", namespace));
  if (entry === undefined) throw notFound(namespaces, namespace);
  const { metadata, spec = {}, status = {} } = decodeEntry(entry) as unknown as Record<string, JsonObject>;
  const shown = Object.entries(metadata ?? {}).filter(([key]) => metadataFields.includes(key));
  return { metadata: Object.fromEntries(shown), spec, status };
}

/** The authorizer of a request's expressions. */
export function worldOf(authorizer: Authorizer, { user }: AdmissionRequest): CelWorld {
  return {
    authorize: ({ serviceAccount, path, ...check }) =>
      authorizer.authorize({
        user:
          serviceAccount === undefined
            ? user
            : {
                name: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
                groups: [
                  "system:serviceaccounts",
                  `system:serviceaccounts:${serviceAccount.namespace}`,
                  "system:authenticated",
                ],
              },
        ...check,
        version: path === "" ? "*" : "",
        path,
      }),
  };
}

/** Parameters of a policy, in the view of expressions. */
export function celOfParams(params: KubeObject | undefined): unknown {
  return celOfJson(params as unknown as JsonValue | undefined);
}
