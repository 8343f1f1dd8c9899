import { BlockList } from "node:net";
import type { ApiError, JsonObject } from "@kintsugi/api";
import {
  clusterRoles,
  formatIpv4,
  mutatingAdmissionPolicies,
  nodes,
  pods,
  roles,
  validatingAdmissionPolicies,
} from "@kintsugi/api";
import {
  nodeRestriction,
  ownerReferencesPermission,
  policyParameters,
  roleEscalation,
} from "../authorization/index.ts";
import type { AdmissionAttributes } from "../authorization/admission-attributes.ts";
import type { Authorizer } from "../authorization/authorization.ts";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import { readyRanges } from "../resources/service-ranges.ts";
import type { Registry } from "../resources/registry.ts";
import type { ServerOptions } from "../server-options.ts";
import { refusedAddresses } from "../kubelet/kubelet-tls-dialer.ts";
import type { AdmissionRequest, AdmissionStep } from "./admission.ts";
import type { AdmissionOperation } from "./chain/admission-metrics.ts";

/** Admission rules that depend on the caller's rights. They are made in authorization/. */
export function authorizationSteps(
  deps: { authorizer: Authorizer; registry: Registry; store: Pick<Store, "list"> },
  options: Pick<ServerOptions, "advertised" | "serviceClusterIpRange">,
): readonly AdmissionStep[] {
  const { authorizer, registry, store } = deps;
  const refused = refusedAddresses(options.advertised === undefined ? [] : [options.advertised.address]);
  const [first = "", bits] = options.serviceClusterIpRange.split("/");
  refused.addSubnet(first, Number(bits));
  const refusedNow = {
    check: (address: string, family: "ipv4" | "ipv6") =>
      refused.check(address, family) || serviceAddresses(store).check(address, family),
  };
  const resourceOf = (apiVersion: string, kind: string) => registry.findByKind(apiVersion, kind)?.type;
  return [
    step("NodeRestriction", ["create", "update", "delete"], (attributes, request) =>
      nodeRestriction(attributes, {
        findPod: (namespace, name) => findObject(request, storeKey(pods, namespace, name)),
        findNode: (name) => findObject(request, storeKey(nodes, "", name)),
        authorizer,
        refusedAddresses: refusedNow,
      }),
    ),
    step("OwnerReferencesPermissionEnforcement", ["create", "update"], (attributes) =>
      ownerReferencesPermission(attributes, { authorizer, resourceOf }),
    ),
    step("RoleEscalation", ["create", "update"], (attributes, request) =>
      roleEscalation(attributes, {
        authorizer,
        findRole: (kind, namespace, name) =>
          findObject(request, kind === "Role" ? storeKey(roles, namespace, name) : storeKey(clusterRoles, "", name)),
      }),
    ),
    step("PolicyParameters", ["create", "update"], (attributes, request) =>
      policyParameters(attributes, {
        authorizer,
        resourceOf,
        findPolicy: (resource, name) => {
          const type = [validatingAdmissionPolicies, mutatingAdmissionPolicies].find((t) => t.resource === resource);
          return type === undefined ? undefined : findObject(request, storeKey(type, "", name));
        },
      }),
    ),
  ];
}

/**
 * The address ranges of Services, which change at run time. Nodes have no address in these ranges.
 */
function serviceAddresses(store: Pick<Store, "list">): BlockList {
  const list = new BlockList();
  for (const { first, size } of readyRanges(store)) list.addSubnet(formatIpv4(first), 32 - Math.log2(size));
  return list;
}

type Check = (attributes: AdmissionAttributes, request: AdmissionRequest) => ApiError | undefined;

/** Every kind passes through here because each check selects its own kinds. */
function step(name: string, operations: readonly AdmissionOperation[], check: Check): AdmissionStep {
  return { name, handles: { operations }, validate: (request) => check(attributesOf(request), request) };
}

function attributesOf(request: AdmissionRequest): AdmissionAttributes {
  const { operation, user, resource, subresource, namespace, name, object, before } = request;
  return {
    operation,
    user,
    type: resource.type,
    subresource,
    namespace,
    name,
    object: object as unknown as JsonObject | undefined,
    before: before as unknown as JsonObject | undefined,
  };
}

function findObject(request: AdmissionRequest, key: string): JsonObject | undefined {
  const entry = request.reader.find(key);
  return entry === undefined ? undefined : (decodeEntry(entry) as unknown as JsonObject);
}
