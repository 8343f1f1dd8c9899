import { groupVersionPath } from "@kintsugi/api";
import { findType } from "./find-type.ts";
import { UnusableCommand } from "./kubectl-command.ts";
import { type KubectlWorld, type KubectlAnswer, told } from "./kubectl-world.ts";
import { call } from "./read-objects.ts";

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
}

type Schemas = Readonly<Record<string, Schema>>;

/** Prints `kubectl explain` from the server's OpenAPI. @throws ApiError, UnusableCommand */
export async function explainFields(
  [word = "", ...path]: readonly string[],
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(word, world.types);
  const document = (await call(world, `/openapi/v3${groupVersionPath(type)}`)) as {
    components?: { schemas?: Schemas };
  };
  const schemas = document.components?.schemas ?? {};
  const isKind = (each: { group: string; version: string; kind: string }) =>
    each.kind === type.kind && each.group === type.group && each.version === type.version;
  let schema = Object.values(schemas).find((each) => each["x-kubernetes-group-version-kind"]?.some(isKind));
  if (schema === undefined) throw new UnusableCommand(`the server does not describe the fields of ${word}`);
  for (const name of path) {
    const next: Schema | undefined = resolve(schema, schemas).properties?.[name];
    if (next === undefined) throw new UnusableCommand(`field "${name}" does not exist`);
    schema = next;
  }
  return told([
    ...(type.group === "" ? [] : [`GROUP:      ${type.group}`]),
    `KIND:       ${type.kind}`,
    `VERSION:    ${type.version}`,
    "",
    ...(path.length === 0 ? [] : [`FIELD: ${path.at(-1)} <${typeText(schema, schemas)}>`, ""]),
    "DESCRIPTION:",
    `    ${schema.description ?? resolve(schema, schemas).description ?? "<empty>"}`,
    ...fieldLines(resolve(schema, schemas), schemas),
  ]);
}

function fieldLines({ properties, required = [] }: Schema, schemas: Schemas): string[] {
  if (properties === undefined) return [];
  return [
    "",
    "FIELDS:",
    ...Object.entries(properties).flatMap(([name, schema]) => [
      `  ${name}\t<${typeText(schema, schemas)}>${required.includes(name) ? " -required-" : ""}`,
      `    ${schema.description ?? "<no description>"}`,
      "",
    ]),
  ];
}

/** The schema with the fields of its references and list items. */
function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = refOf(schema);
  if (name !== undefined) return schemas[name] ?? schema;
  return schema.items === undefined ? schema : resolve(schema.items, schemas);
}

function refOf({ $ref, allOf }: Schema): string | undefined {
  const ref = $ref ?? allOf?.[0]?.$ref;
  return ref?.slice(ref.lastIndexOf("/") + 1);
}

function typeText(schema: Schema, schemas: Schemas): string {
  const name = refOf(schema);
  if (name !== undefined) {
    const found = schemas[name];
    return found?.properties === undefined ? (found?.type ?? "Object") : (name.split(".").at(-1) ?? "Object");
  }
  if (schema.items !== undefined) return `[]${typeText(schema.items, schemas)}`;
  if (typeof schema.additionalProperties === "object")
    return `map[string]${typeText(schema.additionalProperties, schemas)}`;
  return schema.type ?? "Object";
}
