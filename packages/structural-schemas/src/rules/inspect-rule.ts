import type { JsonSchema } from "@kintsugi/api";
import type { Expr } from "@kintsugi/cel";
import { isEmbedded, itemsOf, valuesOf } from "../schema-parts.ts";
import { escapedName } from "./cel-values.ts";
import { elementsMax, textLengthMax } from "./schema-sizes.ts";

/** The type of an expression if the schema shows it; otherwise undefined. */
type Known = { readonly schema: JsonSchema; readonly isRoot: boolean } | undefined;

/** The findings about a rule before its first evaluation. */
export interface RuleInspection {
  readonly faults: readonly string[];
  /** The maximum cost of one evaluation, in upstream's units. */
  readonly cost: number;
}

/**
 * Finds undeclared names and fields of an expression, and estimates its cost from the schema's
 * limits.
 */
export function inspectRule(expr: Expr, schema: JsonSchema, isRoot: boolean): RuleInspection {
  const faults: string[] = [];
  const self = { schema, isRoot };
  const { cost } = new Inspector(faults).inspect(
    expr,
    new Map<string, Known>([
      ["self", self],
      ["oldSelf", self],
    ]),
  );
  return { faults, cost };
}

interface Inspected {
  type: Known;
  cost: number;
  /** The maximum number of elements or characters. */
  size: number;
}

type Scope = ReadonlyMap<string, Known>;

/** The cost of inspecting a string, as a share of its length. */
const characterCost = 0.1;
const plain = { type: undefined, size: 1 };
/** Names that precede functions, and types that are values. */
const known = new Set(
  "cel optional math ip cidr sets format int uint double bool string bytes list map null_type type dyn".split(" "),
);

/** The functions and methods that expressions may call, in addition to operators. */
const functions = new Set(
  [
    "size type dyn int uint double bool string bytes timestamp duration contains startsWith endsWith matches bind",
    "getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds",
    "charAt indexOf lastIndexOf join lowerAscii upperAscii replace reverse split substring trim quote format",
    "isSorted sum min max greatest least abs ceil floor find findAll url isURL getScheme getHost getHostname getPort",
    "getEscapedPath getQuery quantity isQuantity isGreaterThan isLessThan compareTo add sub sign isInteger asInteger",
    "asApproximateFloat ip isIP cidr isCIDR family isUnspecified isLoopback isLinkLocalUnicast isLinkLocalMulticast",
    "isGlobalUnicast containsIP containsCIDR prefixLength of none ofNonZeroValue hasValue value orValue or optionalField",
    "optionalElement equivalent intersects semver isSemver major minor patch named validate dns1123Label",
    "dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix",
    "labelValue uri uuid byte date datetime",
  ].flatMap((line) => line.split(" ")),
);

class Inspector {
  readonly #faults: string[];

  constructor(faults: string[]) {
    this.#faults = faults;
  }

  inspect(expr: Expr, scope: Scope): Inspected {
    const { exprKind } = expr;
    switch (exprKind.case) {
      case "constExpr": {
        const { constantKind } = exprKind.value;
        const size = constantKind.case === "stringValue" ? constantKind.value.length : 1;
        return { ...plain, cost: 0, size };
      }
      case "identExpr":
        return this.#ident(exprKind.value.name, scope);
      case "selectExpr":
        return this.#select(exprKind.value, scope);
      case "callExpr":
        return this.#call(exprKind.value, scope);
      case "comprehensionExpr":
        return this.#loop(exprKind.value, scope);
      case "listExpr": {
        const items = exprKind.value.elements.map((item) => this.inspect(item, scope));
        return { ...plain, cost: 10 + sumOf(items), size: items.length };
      }
      case "structExpr": {
        const entries = exprKind.value.entries.flatMap(({ value }) => (value ? [this.inspect(value, scope)] : []));
        return { ...plain, cost: 30 + sumOf(entries), size: entries.length };
      }
      default:
        return { ...plain, cost: 0 };
    }
  }

  #ident(name: string, scope: Scope): Inspected {
    if (scope.has(name)) return { ...sized(scope.get(name)), cost: 1 };
    if (!known.has(name)) this.#faults.push(`undeclared reference to '${name}' (in container '')`);
    return { ...plain, cost: 1 };
  }

  #select(value: { operand?: Expr | undefined; field: string }, scope: Scope): Inspected {
    const operand = value.operand === undefined ? { ...plain, cost: 0 } : this.inspect(value.operand, scope);
    const cost = operand.cost + 1;
    if (operand.type === undefined) return { ...plain, cost };
    const found = memberOf(operand.type, value.field);
    if (found === "undeclared") {
      this.#faults.push(`undefined field '${value.field}'`);
      return { ...plain, cost };
    }
    return { ...sized(found), cost };
  }

  #call(call: { target?: Expr | undefined; function: string; args: Expr[] }, scope: Scope): Inspected {
    const { function: name, target, args } = call;
    // `cel.bind` declares its first argument.
    if (name === "bind" && args.length === 3) return this.#bind(args as [Expr, Expr, Expr], scope);
    if (/^\w/.test(name) && !functions.has(name) && !name.startsWith("_")) {
      this.#faults.push(`undeclared reference to '${name}' (in container '')`);
    }
    const parts = [...(target === undefined ? [] : [target]), ...args].map((part) => this.inspect(part, scope));
    const [first = { ...plain, cost: 0 }, second = { ...plain, cost: 0 }] = parts;
    const cost = sumOf(parts) + callCost(name, first.size, second.size);
    // Each turn of a macro with two variables processes one pair.
    if (name === "@pairs") return { ...plain, cost, size: first.size };
    if (name === "_[_]") return { ...sized(elementOf(first.type)), cost };
    if (name === "_?_:_") return { ...plain, cost, size: Math.max(second.size, parts[2]?.size ?? 1) };
    if (name === "_+_") return { ...plain, cost, size: first.size + second.size };
    return { ...plain, cost, size: keepsSize.has(name) ? first.size : 1 };
  }

  #bind([variable, value, body]: readonly [Expr, Expr, Expr], scope: Scope): Inspected {
    const bound = this.inspect(value, scope);
    const name = variable.exprKind.case === "identExpr" ? variable.exprKind.value.name : "";
    const inner = this.inspect(body, new Map([...scope, [name, bound.type]]));
    return { ...inner, cost: bound.cost + inner.cost };
  }

  #loop(loop: LoopParts, scope: Scope): Inspected {
    const range = loop.iterRange === undefined ? { ...plain, cost: 0 } : this.inspect(loop.iterRange, scope);
    const item = elementOf(range.type, true);
    const inner = new Map([...scope, [loop.iterVar, item], [loop.accuVar, undefined]]) as Scope;
    const costOf = (part: Expr | undefined) => (part === undefined ? 0 : this.inspect(part, inner).cost);
    const turn = costOf(loop.loopCondition) + costOf(loop.loopStep);
    const cost = range.cost + costOf(loop.accuInit) + range.size * turn + costOf(loop.result);
    return { ...plain, cost, size: range.size };
  }
}

interface LoopParts {
  iterVar: string;
  accuVar: string;
  iterRange?: Expr | undefined;
  accuInit?: Expr | undefined;
  loopCondition?: Expr | undefined;
  loopStep?: Expr | undefined;
  result?: Expr | undefined;
}

function sumOf(parts: readonly Inspected[]): number {
  return parts.reduce((sum, { cost }) => sum + cost, 0);
}

/** Functions whose result is as large as their operand. */
const keepsSize = new Set(["lowerAscii", "upperAscii", "trim", "replace", "substring", "split", "findAll", "reverse"]);
const ofTexts = new Set(["contains", "startsWith", "endsWith", "find", "indexOf", "lastIndexOf", "join", "format"]);

function callCost(name: string, first: number, second: number): number {
  if (name === "matches" || name === "find" || name === "findAll") {
    return Math.ceil((1 + first) * characterCost) * Math.ceil(Math.max(1, second * 0.25));
  }
  if (name === "@in") return second;
  if (name === "_==_" || name === "_!=_") return Math.ceil(Math.max(1, Math.min(first, second) * characterCost));
  if (name === "_+_" || keepsSize.has(name) || ofTexts.has(name)) return Math.ceil(Math.max(1, first * characterCost));
  return 1;
}

/** The member of an object or map; a field of the schema has to be declared. */
function memberOf({ schema, isRoot }: NonNullable<Known>, field: string): Known | "undeclared" {
  const isApiObject = isRoot || isEmbedded(schema);
  if (isApiObject && field === "metadata") return { schema: metadataSchema, isRoot: false };
  if (isApiObject && (field === "apiVersion" || field === "kind")) return { schema: textSchema, isRoot: false };
  const property = Object.entries(schema.properties ?? {}).find(([name]) => escapedName(name) === field)?.[1];
  if (property !== undefined) return { schema: property, isRoot: false };
  const values = valuesOf(schema);
  if (values !== undefined) return { schema: values, isRoot: false };
  return schema.type === undefined || schema.additionalProperties === true ? undefined : "undeclared";
}

/** Upstream estimates the length of a map's keys as zero. */
const keySchema: JsonSchema = { type: "string", maxLength: 0 };
const textSchema: JsonSchema = { type: "string", maxLength: 253 };
const metadataSchema: JsonSchema = { type: "object", properties: { name: textSchema, generateName: textSchema } };

/** A list's item, or a map's value; a loop over a map visits its keys. */
function elementOf(type: Known, ofLoop = false): Known {
  if (type === undefined) return undefined;
  const items = itemsOf(type.schema);
  if (items !== undefined) return { schema: items, isRoot: false };
  const values = valuesOf(type.schema);
  if (values === undefined) return undefined;
  return { schema: ofLoop ? keySchema : values, isRoot: false };
}

function sized(type: Known): { type: Known; size: number } {
  if (type === undefined) return plain;
  const { schema } = type;
  if (schema.type === "array" || valuesOf(schema) !== undefined) return { type, size: elementsMax(schema) };
  return { type, size: schema.type === "string" ? textLengthMax(schema) : 1 };
}
