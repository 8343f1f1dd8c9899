import { celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";
import { checkLabel1123, checkSubdomain1123 } from "@kintsugi/api";
import { authorizeNow, charge } from "../cost/meter.ts";

const { BOOL, DYN, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Marks the maps that represent an authorizer check, and names the kind of check. */
const mark = "@authz";
type Kind = "authorizer" | "path" | "group" | "resource" | "decision";

/** Upstream's cost of one decision, because upstream may call a webhook. */
const checkCost = 350_000;

type Fields = Readonly<Record<string, string>>;

function made(kind: Kind, fields: Fields): never {
  return celMap(new Map(Object.entries({ ...fields, [mark]: kind })) as never) as never;
}

function fieldsOf(value: unknown, ...kinds: readonly Kind[]): Record<string, string> & { kind: Kind } {
  const map = value as ReturnType<typeof celMap>;
  const kind = map.get(mark);
  if (!kinds.includes(kind as Kind)) throw new Error("no such overload");
  const fields = Object.fromEntries(
    [...map].flatMap(([key, member]) => (typeof member === "string" ? [[key as string, member]] : [])),
  );
  return { ...fields, kind: kind as Kind };
}

/**
 * The value of `authorizer` for a request about a resource. `authorizer.requestResource` is a check
 * of that resource.
 */
export function celAuthorizer(requestResource: {
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
}): unknown {
  return new Map<string, unknown>([
    [mark, "authorizer"],
    ["requestResource", new Map(Object.entries({ ...requestResource, [mark]: "resource" }))],
  ]);
}

function notBlank(text: string, what: string): string {
  if (text.trim() === "") throw new Error(`${what} must not be empty`);
  return text;
}

/** A method that narrows an authorizer check by one field. */
const narrowed = (name: string) =>
  celMethod(name, OBJECT, [STRING], DYN, function (value) {
    const { kind, ...fields } = fieldsOf(this, "resource");
    return made(kind, { ...fields, [name]: value });
  });

export const authorizerFunctions = [
  celMethod("path", OBJECT, [STRING], DYN, function (path) {
    const { kind: _kind, ...fields } = fieldsOf(this, "authorizer");
    return made("path", { ...fields, path: notBlank(path, "path") });
  }),
  celMethod("group", OBJECT, [STRING], DYN, function (group) {
    const { kind: _kind, ...fields } = fieldsOf(this, "authorizer");
    return made("group", { ...fields, group });
  }),
  celMethod("serviceAccount", OBJECT, [STRING, STRING], DYN, function (namespace, name) {
    fieldsOf(this, "authorizer");
    if (checkSubdomain1123(name).length > 0) throw new Error("Invalid service account name");
    if (checkLabel1123(namespace).length > 0) throw new Error("Invalid service account namespace");
    return made("authorizer", { accountNamespace: namespace, accountName: name });
  }),
  celMethod("resource", OBJECT, [STRING], DYN, function (resource) {
    const { kind: _kind, ...fields } = fieldsOf(this, "group");
    return made("resource", { ...fields, resource: notBlank(resource, "resource") });
  }),
  narrowed("subresource"),
  narrowed("namespace"),
  narrowed("name"),
  narrowed("fieldSelector"),
  narrowed("labelSelector"),
  celMethod("check", OBJECT, [STRING], DYN, function (verb) {
    const fields = fieldsOf(this, "path", "resource");
    charge(checkCost);
    const { accountNamespace = "", accountName = "" } = fields;
    const { allowed, reason } = authorizeNow({
      serviceAccount: accountName === "" ? undefined : { namespace: accountNamespace, name: accountName },
      verb,
      path: fields["path"] ?? "",
      group: fields["group"] ?? "",
      resource: fields["resource"] ?? "",
      subresource: fields["subresource"] ?? "",
      namespace: fields["namespace"] ?? "",
      name: fields["name"] ?? "",
      fieldSelector: fields["fieldSelector"] ?? "",
      labelSelector: fields["labelSelector"] ?? "",
    });
    return made("decision", { allowed: String(allowed), reason });
  }),
  celMethod("allowed", OBJECT, [], BOOL, function () {
    return fieldsOf(this, "decision")["allowed"] === "true";
  }),
  celMethod("reason", OBJECT, [], STRING, function () {
    return fieldsOf(this, "decision")["reason"] ?? "";
  }),
  // This authorizer never returns errors.
  celMethod("errored", OBJECT, [], BOOL, function () {
    fieldsOf(this, "decision");
    return false;
  }),
  celMethod("error", OBJECT, [], STRING, function () {
    fieldsOf(this, "decision");
    return "";
  }),
];
