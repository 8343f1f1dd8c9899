import { type ApiObject, ApiError, nodes, objectPath } from "@kintsugi/api";
import { parseAllDocuments, stringify } from "yaml";
import { findType, qualified } from "../find-type.ts";
import { type KubectlCommand, UnusableCommand } from "../kubectl-command.ts";
import { type KubectlWorld, type KubectlAnswer, sendChange, told } from "../kubectl-world.ts";
import { targetPath, readObjects, withoutManagers } from "../read-objects.ts";

/** Maximum size of a person's input, which is written by hand. */
const yamlCharactersMax = 20_000;
const documentsMax = 20;

/** @throws ApiError, UnusableCommand */
export async function scaleObjects(
  { target, replicas }: Extract<KubectlCommand, { is: "scale" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const lines: string[] = [];
  for (const name of target.names) {
    const path = `${targetPath(type, target, name)}/scale`;
    const body = { spec: { replicas } };
    await sendChange(world, { method: "PATCH", path, body, contentType: "application/merge-patch+json" });
    lines.push(`${qualified(type)}/${name} scaled`);
  }
  return told(lines);
}

/** @throws ApiError */
export async function markNode(
  node: string,
  { unschedulable }: { unschedulable: boolean },
  { client }: KubectlWorld,
): Promise<string> {
  const key = { namespace: "", name: node };
  const before = await client.patch(nodes, key, { type: "merge", body: {} });
  const word = unschedulable ? "cordoned" : "uncordoned";
  if ((before.spec?.unschedulable ?? false) === unschedulable) return `node/${node} already ${word}`;
  await client.patch(nodes, key, { type: "merge", body: { spec: { unschedulable: unschedulable ? true : null } } });
  return `node/${node} ${word}`;
}

/** @throws ApiError, UnusableCommand */
export async function deleteTargets(
  { target, graceSeconds }: Extract<KubectlCommand, { is: "delete" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const lines: string[] = [];
  for (const name of target.names) {
    const options = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    };
    await sendChange(world, { method: "DELETE", path: targetPath(type, target, name), body: options });
    lines.push(`${qualified(type)} "${name}" deleted`);
  }
  return told(lines);
}

/**
 * Applies the documents of the editor, as `kubectl apply --server-side` does.
 * @throws ApiError, UnusableCommand
 */
export async function applyDocuments(
  yaml: string,
  { namespace }: Extract<KubectlCommand, { is: "apply" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const lines: string[] = [];
  for (const object of readYamlObjects(yaml)) {
    const [version, group = ""] = (object.apiVersion ?? "").split("/").toReversed();
    const type = world.types.find((each) => each.kind === object.kind && each.group === group);
    if (type === undefined || type.version !== version)
      throw new UnusableCommand(`no matches for kind "${object.kind}" in version "${object.apiVersion}"`);
    const { name = "" } = object.metadata;
    const place = { namespace: object.metadata.namespace ?? namespace, name };
    const path = `${objectPath(type, place)}?fieldManager=kubectl&force=true`;
    await sendChange(world, { method: "PATCH", path, body: object, contentType: "application/apply-patch+yaml" });
    lines.push(`${qualified(type)}/${name} serverside-applied`);
  }
  return told(lines);
}

/** The objects of a YAML text. @throws UnusableCommand with the position of the fault. */
function readYamlObjects(yaml: string): ApiObject[] {
  if (yaml.length > yamlCharactersMax)
    throw new UnusableCommand(`the editor takes at most ${yamlCharactersMax} characters`);
  const documents = parseAllDocuments(yaml, { uniqueKeys: true });
  if (!Array.isArray(documents)) throw new UnusableCommand("the editor contains no objects");
  const objects = documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new UnusableCommand(error.message.split("\n")[0]?.replace(/:$/, "") ?? "no YAML");
    const value: unknown = document.toJS({ maxAliasCount: 10 });
    return value === null || value === undefined ? [] : [value];
  });
  if (objects.length === 0) throw new UnusableCommand("the editor contains no objects");
  if (objects.length > documentsMax) throw new UnusableCommand(`the editor takes at most ${documentsMax} objects`);
  return objects.map((value) => {
    const object = value as Partial<ApiObject>;
    if (
      typeof object.kind !== "string" ||
      typeof object.apiVersion !== "string" ||
      typeof object.metadata?.name !== "string"
    )
      throw new UnusableCommand("an object needs apiVersion, kind and metadata.name");
    return object as ApiObject;
  });
}

/** The object for the editor, without the fields that the server sets. @throws ApiError */
export async function editObject(
  { target }: Extract<KubectlCommand, { is: "describe" | "edit" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const [object] = await readObjects(world, type, target);
  if (object === undefined) throw new ApiError("NotFound", `${target.type} not found`);
  const { status: _, metadata, ...rest } = withoutManagers(object) as ApiObject & { status?: unknown };
  const { name, namespace, labels, annotations } = metadata;
  const kept = { ...rest, metadata: { name, namespace, labels, annotations } };
  const yaml = stringify(JSON.parse(JSON.stringify({ apiVersion: object.apiVersion, kind: object.kind, ...kept })));
  return told([`${qualified(type)}/${name} is in the editor; change it, then write \`apply\``], yaml);
}
