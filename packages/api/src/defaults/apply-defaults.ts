import type { ApiObject } from "../meta/api-object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import * as resources from "../resources.ts";
import { setPodDefaults } from "./pod-defaults.ts";
import { setServiceDefaults } from "./service-defaults.ts";
import {
  setDeploymentDefaults,
  setEndpointsDefaults,
  setEndpointSliceDefaults,
  setNamespaceDefaults,
  setNodeDefaults,
  setPriorityClassDefaults,
  setReplicaSetDefaults,
  setRoleBindingDefaults,
  setSecretDefaults,
} from "./small-kinds.ts";

/**
 * Fills in the fields of a freshly parsed object that its author may leave to the API. Changes the object in place and
 * returns it; a second time changes nothing. Kinds without defaults are returned as they are.
 */
export function applyDefaults<T extends ApiObject>(type: ResourceType<T>, object: T): T {
  byResource.get(keyOf(type))?.(object);
  return object;
}

type SetDefaults = (object: never) => void;

const defaults: readonly (readonly [ResourceType, SetDefaults])[] = [
  [resources.pods, setPodDefaults],
  [resources.nodes, setNodeDefaults],
  [resources.namespaces, setNamespaceDefaults],
  [resources.secrets, setSecretDefaults],
  [resources.services, setServiceDefaults],
  [resources.deployments, setDeploymentDefaults],
  [resources.replicaSets, setReplicaSetDefaults],
  [resources.endpoints, setEndpointsDefaults],
  [resources.endpointSlices, setEndpointSliceDefaults],
  [resources.priorityClasses, setPriorityClassDefaults],
  [resources.roleBindings, setRoleBindingDefaults],
  [resources.clusterRoleBindings, setRoleBindingDefaults],
];

const byResource = new Map(defaults.map(([type, set]) => [keyOf(type), set as (object: ApiObject) => void]));

function keyOf(type: Pick<ResourceType, "group" | "version" | "resource">): string {
  return `${type.group}/${type.version}/${type.resource}`;
}
