import { apiVersionOf, type ResourceType } from "@kintsugi/api";
import type { ServedResource, ServedSubresource } from "../resources/served-resource.ts";
import { type GroupVersionKind, metaPackage, patchName } from "./document-parts.ts";
import {
  deleteParameters,
  listParameters,
  namespaceParameter,
  nameParameter,
  type Parameter,
  patchParameters,
  pretty,
  selectorParameters,
  writeParameters,
} from "./parameters.ts";

/** One method on one path, before it is written in either version of OpenAPI. */
export interface Operation {
  readonly path: string;
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  /** "list", "get", "post", "put", "patch", "delete", "deletecollection". */
  readonly action: string;
  readonly id: string;
  readonly tag: string;
  readonly kind: GroupVersionKind;
  /** The parameters that every method on the path has. */
  readonly pathParameters: readonly Parameter[];
  readonly parameters: readonly Parameter[];
  /** Schema of the body. */
  readonly body?: string;
  readonly bodyTypes: readonly string[];
  /** Schema of the answer; absent for plain text. */
  readonly answer?: string;
}

type Shape = Pick<Operation, "method" | "action" | "parameters" | "body" | "answer"> & { verb: string; word: string };
interface Place {
  readonly path: string;
  readonly pathParameters: readonly Parameter[];
  /** The part of the operation's id after the verb. */
  readonly subject: string;
  readonly kind: GroupVersionKind;
}

const statusName = `${metaPackage}.Status`;
const deleteOptionsName = `${metaPackage}.DeleteOptions`;

/** The path under which a group's version is served: "api/v1", "apis/apps/v1". */
export function basePathOf(type: Pick<ResourceType, "group" | "version">): string {
  return `${type.group === "" ? "api" : "apis"}/${apiVersionOf(type)}`;
}

/** All operations on a resource and its subresources. */
export function operationsOf(resource: ServedResource): Operation[] {
  const { type, description } = resource;
  const name = description.type === "object" ? description.name : "";
  const scope = type.namespaced ? "Namespaced" : "";
  const { group, version, kind } = type;
  const base = `/${basePathOf(type)}`;
  const collection = `${base}${type.namespaced ? "/namespaces/{namespace}" : ""}/${type.resource}`;
  const inNamespace = type.namespaced ? [namespaceParameter] : [];
  const gvk = { group, version, kind };
  const many: Place = { path: collection, pathParameters: inNamespace, subject: `${scope}${kind}`, kind: gvk };
  const one: Place = { ...many, path: `${collection}/{name}`, pathParameters: [nameParameter, ...inNamespace] };
  const everywhere: Place = {
    path: `${base}/${type.resource}`,
    pathParameters: [],
    subject: `${kind}ForAllNamespaces`,
    kind: gvk,
  };
  const place = (where: Place, shapes: readonly Shape[], verbs: readonly string[]) =>
    shapes.filter(({ verb }) => verbs.includes(verb)).map((shape) => operationAt(resource, where, shape));
  return [
    ...place(many, collectionShapes(name), resource.verbs),
    ...place(one, objectShapes(name), resource.verbs),
    ...(type.namespaced ? place(everywhere, [listShape(name)], resource.verbs) : []),
    ...resource.subresources.flatMap((subresource) => {
      const at: Place = {
        path: `${one.path}/${subresource.name}`,
        pathParameters: one.pathParameters,
        subject: `${one.subject}${capitalize(subresource.name)}`,
        kind: { group: subresource.group, version: subresource.version, kind: subresource.kind },
      };
      return place(at, subresourceShapes(subresource), subresource.verbs);
    }),
  ];
}

function operationAt({ type, bodyTypes, patchTypes }: ServedResource, place: Place, shape: Shape): Operation {
  const { word, method, action, parameters, body, answer } = shape;
  const groupWord =
    type.group === ""
      ? "Core"
      : type.group
          .replace(/\.k8s\.io$/, "")
          .split(".")
          .map(capitalize)
          .join("");
  const owner = `${groupWord}${capitalize(type.version)}`;
  return {
    path: place.path,
    method,
    action,
    id: word === "deleteCollection" ? `delete${owner}Collection${place.subject}` : `${word}${owner}${place.subject}`,
    tag: `${uncapitalize(groupWord)}_${type.version}`,
    kind: place.kind,
    pathParameters: place.pathParameters,
    parameters: [pretty, ...parameters],
    ...(body !== undefined && { body }),
    bodyTypes: action === "patch" ? patchTypes : bodyTypes,
    ...(answer !== undefined && { answer }),
  };
}

function createShape(name: string): Shape {
  return {
    verb: "create",
    word: "create",
    method: "post",
    action: "post",
    parameters: writeParameters,
    body: name,
    answer: name,
  };
}

function collectionShapes(name: string): Shape[] {
  return [
    listShape(name),
    createShape(name),
    {
      verb: "deletecollection",
      word: "deleteCollection",
      method: "delete",
      action: "deletecollection",
      parameters: [...deleteParameters, ...selectorParameters],
      body: deleteOptionsName,
      answer: statusName,
    },
  ];
}

function listShape(name: string): Shape {
  return {
    verb: "list",
    word: "list",
    method: "get",
    action: "list",
    parameters: listParameters,
    answer: `${name}List`,
  };
}

function objectShapes(name: string): Shape[] {
  return [
    ...readWriteShapes(name),
    {
      verb: "delete",
      word: "delete",
      method: "delete",
      action: "delete",
      parameters: deleteParameters,
      body: deleteOptionsName,
      answer: statusName,
    },
  ];
}

function readWriteShapes(name: string): Shape[] {
  return [
    { verb: "get", word: "read", method: "get", action: "get", parameters: [], answer: name },
    {
      verb: "update",
      word: "replace",
      method: "put",
      action: "put",
      parameters: writeParameters,
      body: name,
      answer: name,
    },
    {
      verb: "patch",
      word: "patch",
      method: "patch",
      action: "patch",
      parameters: patchParameters,
      body: patchName,
      answer: name,
    },
  ];
}

function subresourceShapes({ description }: ServedSubresource): Shape[] {
  if (description?.type !== "object") {
    return [{ verb: "get", word: "read", method: "get", action: "get", parameters: [] }];
  }
  const { name } = description;
  return [...readWriteShapes(name), createShape(name)];
}

function capitalize(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function uncapitalize(word: string): string {
  return `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`;
}
