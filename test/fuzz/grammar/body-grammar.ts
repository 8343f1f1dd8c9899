import type { Client } from "@kintsugi/client";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { splitGroupVersion } from "./routes.ts";

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** An object as a client sends it. */
export interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Deep enough for a field of an action of a container probe in a template. */
const depthMax = 8;
/** The entries of a list, or of a map. */
const entriesMax = 3;

/**
 * Bodies by the schemas that the server itself publishes, so that each new kind is included as soon
 * as it is served.
 */
export class BodyGrammar {
  readonly #schemas = new Map<string, Schema>();
  readonly #kinds = new Map<string, Schema>();
  readonly #examples = new Map<string, object>();

  /**
   * `examples` are objects that the server accepts. @throws ApiError when the server publishes no
   * schemas.
   */
  static async read(client: Pick<Client, "call">, examples: readonly Example[]): Promise<BodyGrammar> {
    const grammar = new BodyGrammar();
    for (const example of examples) grammar.#examples.set(`${example.apiVersion} ${example.kind}`, example);
    const index = (await client.call({ method: "GET", path: "/openapi/v3" })) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    for (const { serverRelativeURL } of Object.values(index.paths)) {
      const document = (await client.call({ method: "GET", path: serverRelativeURL })) as {
        components?: { schemas?: Record<string, Schema> };
      };
      for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) grammar.#add(name, schema);
    }
    return grammar;
  }

  #add(name: string, schema: Schema): void {
    this.#schemas.set(name, schema);
    for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] ?? [])
      this.#kinds.set(`${group === "" ? "" : `${group}/`}${version} ${kind}`, schema);
  }

  /**
   * A body of `kind` ("apps/v1 Deployment"), the same for the same seed: half of the time an
   * example with some of its parts drawn again, otherwise some fields of the right types.
   */
  make(kind: string, seed: number): object {
    const random = new SeededRandom(seed);
    const example = this.#examples.get(kind);
    if (example !== undefined && random.integer(2) === 0) return this.#vary(example, kind, random);
    const [apiVersion = "", name = ""] = kind.split(" ");
    const schema = this.#kinds.get(kind);
    const drawn = schema === undefined ? {} : this.#valueOf(schema, random, depthMax);
    const [, version] = splitGroupVersion(apiVersion);
    return { ...(drawn as object), apiVersion: apiVersion || version, kind: name };
  }

  #vary(example: object, kind: string, random: SeededRandom): object {
    const body = structuredClone(example) as Record<string, unknown>;
    const drawn = this.#valueOf(this.#kinds.get(kind) ?? {}, random, depthMax) as Record<string, unknown>;
    for (const part of ["spec", "metadata", "status"]) {
      const fields = Object.entries((drawn[part] ?? {}) as object);
      const chosen = fields[random.integer(Math.max(1, fields.length))];
      if (chosen !== undefined && random.integer(2) === 0)
        body[part] = { ...(body[part] as object), [chosen[0]]: chosen[1] as unknown };
    }
    return body;
  }

  #valueOf(schema: Schema, random: SeededRandom, depth: number): unknown {
    const resolved = this.#resolve(schema);
    if (resolved.enum !== undefined) return pick(resolved.enum, random);
    if (resolved["x-kubernetes-int-or-string"] === true || resolved.format === "int-or-string")
      return pick([0, 80, "http", "25%", ""], random);
    if (resolved.type === "array") {
      if (depth === 0 || resolved.items === undefined) return [];
      const { items } = resolved;
      return Array.from({ length: random.integer(entriesMax) }, () => this.#valueOf(items, random, depth - 1));
    }
    if (resolved.type === "object" || resolved.properties !== undefined) return this.#objectOf(resolved, random, depth);
    return scalarOf(resolved, random);
  }

  #objectOf({ properties = {}, additionalProperties }: Schema, random: SeededRandom, depth: number): unknown {
    const value: Record<string, unknown> = {};
    if (depth === 0) return value;
    const names = Object.keys(properties);
    // Wide kinds would be mostly noise if each field were present one time in three.
    const share = Math.min(1 / 3, 6 / Math.max(1, names.length));
    for (const name of names) {
      const property = properties[name];
      if (property === undefined || random.float() > (likely.has(name) ? 0.8 : share)) continue;
      value[name] = this.#valueOf(property, random, depth - 1);
    }
    if (typeof additionalProperties === "object")
      for (let i = random.integer(entriesMax); i > 0; i--)
        value[pick(mapKeys, random)] = this.#valueOf(additionalProperties, random, depth - 1);
    return value;
  }

  #resolve(schema: Schema): Schema {
    if (schema.$ref !== undefined) return this.#schemas.get(schema.$ref.split("/").at(-1) ?? "") ?? {};
    const [only] = schema.allOf ?? [];
    return only === undefined ? schema : { ...this.#resolve(only), ...schema };
  }
}

/** Fields without which nearly every object is rejected immediately. */
const likely: ReadonlySet<string> = new Set([
  "metadata",
  "spec",
  "name",
  "containers",
  "image",
  "template",
  "selector",
]);

const mapKeys = ["a", "app", "cpu", "memory", "kubernetes.io/hostname", "constructor", "toString"] as const;

const textsByFormat: Readonly<Record<string, readonly unknown[]>> = {
  "date-time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456+02:00", "yesterday"],
  byte: ["", "eA==", "not base64"],
};

const texts = ["a", "web", "", "10.0.0.1", "nginx:1", "100m", "1Gi", "Always", "TCP", "fuzz-mine", "fuzz-theirs", "*"];

function scalarOf({ type, format }: Schema, random: SeededRandom): unknown {
  if (type === "boolean") return random.integer(2) === 0;
  if (type === "integer" || type === "number") return pick(numbersOf(format), random);
  return pick(textsByFormat[format ?? ""] ?? texts, random);
}

/** Usual numbers, and numbers at the ends of a field's range and next to them. */
function numbersOf(format: string | undefined): readonly number[] {
  const usual = [0, 1, 2, 3, 80, 65_535, -1];
  const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number;
  if (format === "int64") return [...usual, MAX_SAFE_INTEGER, MIN_SAFE_INTEGER, 2 ** 63, -(2 ** 63), 1e15];
  if (format === "double") return [...usual, Number.MAX_VALUE, Number.MIN_VALUE, 0.5];
  return [...usual, 65_536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1];
}

function pick<T>(values: readonly T[], random: SeededRandom): T {
  return values[random.integer(values.length)] as T;
}
