import type { Comprehension, Expr } from "../syntax-tree.ts";
import { mapOfPairs, pairs } from "../macros.ts";
import { optionalIndex, optionalSelect } from "../optional-syntax.ts";
import {
  type Bindings,
  dyn,
  isAssignable,
  joined,
  listOfType,
  mapOfType,
  optionalOfType,
  resolved,
  type StaticType,
  typeNamed,
  typeText,
  undecided,
} from "./cel-types.ts";
import { functionNamespaces, type Signature, signaturesOf } from "./signatures.ts";

/** A fault that is found before an expression is ever evaluated. */
export interface CheckFault {
  /** The node of the syntax tree. */
  readonly id: bigint;
  readonly message: string;
  /** True where the fault is at the bracket of a call. */
  readonly atCall: boolean;
}

/** A selection of a field or of an element, written as a method call. */
interface Selection {
  readonly target: Expr;
  readonly args: readonly Expr[];
}

type Scope = ReadonlyMap<string, StaticType>;

const [bool, int, text] = [typeNamed("bool"), typeNamed("int"), typeNamed("string")];
const typeNames = new Set("int uint double bool string bytes list map null_type type dyn".split(" "));

/** Infers the type of an expression whose variables have these types, and finds its faults. */
export function checkTypes(
  expr: Expr,
  variables: Readonly<Record<string, StaticType>>,
): { type: StaticType; faults: readonly CheckFault[] } {
  const checker = new TypeChecker();
  const type = checker.infer(expr, new Map(Object.entries(variables)));
  return { type, faults: checker.faults };
}

class TypeChecker {
  readonly faults: CheckFault[] = [];

  infer(expr: Expr, scope: Scope): StaticType {
    const { exprKind } = expr;
    switch (exprKind.case) {
      case "constExpr":
        return constantTypes[exprKind.value.constantKind.case ?? ""] ?? dyn;
      case "identExpr":
        return this.#ident(expr, exprKind.value.name, scope);
      case "selectExpr":
        return this.#select(expr, exprKind.value, scope);
      case "callExpr":
        return this.#call(expr, exprKind.value, scope);
      case "listExpr":
        return listOfType(this.#common(exprKind.value.elements, scope));
      case "structExpr":
        return this.#struct(exprKind.value, scope);
      case "comprehensionExpr":
        return this.#loop(expr, exprKind.value, scope);
      default:
        return dyn;
    }
  }

  #fault(expr: Expr, message: string, atCall = false): StaticType {
    this.faults.push({ id: expr.id, message, atCall });
    return dyn;
  }

  #ident(expr: Expr, name: string, scope: Scope): StaticType {
    const type = scope.get(name);
    if (type !== undefined) return type;
    if (typeNames.has(name)) return typeNamed("type");
    return this.#fault(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #select(
    expr: Expr,
    { operand, field, testOnly }: { operand?: Expr | undefined; field: string; testOnly: boolean },
    scope: Scope,
  ): StaticType {
    const type = operand === undefined ? dyn : this.infer(operand, scope);
    const found = this.#member(expr, type, field);
    return testOnly ? bool : found;
  }

  #member(expr: Expr, type: StaticType, field: string): StaticType {
    if (type.fields !== undefined) {
      const member = Object.hasOwn(type.fields, field) ? type.fields[field] : undefined;
      return member ?? this.#fault(expr, `undefined field '${field}'`);
    }
    if (type.name === "map") return type.of[1] ?? dyn;
    // All selections after an optional selection are optional too.
    if (type.name === "optional_type") return optionalOfType(this.#member(expr, type.of[0] ?? dyn, field));
    if (type.name === "dyn") return dyn;
    return this.#fault(expr, `type '${typeText(type)}' does not support field selection`);
  }

  #common(parts: readonly Expr[], scope: Scope): StaticType {
    const [first = undecided, ...rest] = parts.map((part) => this.infer(part, scope));
    return rest.reduce(joined, first);
  }

  #struct(
    { messageName, entries }: Extract<Expr["exprKind"], { case: "structExpr" }>["value"],
    scope: Scope,
  ): StaticType {
    const keys = entries.flatMap(({ keyKind }) => (keyKind.case === "mapKey" ? [keyKind.value] : []));
    const values = entries.flatMap(({ value }) => (value === undefined ? [] : [value]));
    if (messageName === "") return mapOfType(this.#common(keys, scope), this.#common(values, scope));
    for (const value of values) this.infer(value, scope);
    return typeNamed(messageName);
  }

  #call(
    expr: Expr,
    call: { target?: Expr | undefined; function: string; args: readonly Expr[] },
    scope: Scope,
  ): StaticType {
    const { target, function: name, args } = call;
    const namespace = target?.exprKind.case === "identExpr" ? target.exprKind.value.name : undefined;
    if (namespace === "cel" && name === "bind" && args.length === 3) return this.#bind(args, scope);
    if (name === optionalSelect && target !== undefined) return this.#optionalSelect(expr, { target, args }, scope);
    if (name === optionalIndex && target !== undefined) return this.#optionalIndex(expr, { target, args }, scope);
    const isQualified = namespace !== undefined && functionNamespaces.has(namespace) && !scope.has(namespace);
    const whole = isQualified ? `${namespace}.${name}` : name;
    const on = isQualified || target === undefined ? undefined : this.infer(target, scope);
    const given = args.map((arg) => this.infer(arg, scope));
    if (name === pairs) return listOfType(listOfType(dyn));
    if (name === mapOfPairs) return mapOfType(dyn, dyn);
    const signatures = signaturesOf(whole);
    if (signatures.length === 0) {
      return this.#fault(expr, `undeclared reference to '${whole}' (in container '')`, true);
    }
    const results = signatures.flatMap((signature) => resultOf(signature, on, given) ?? []);
    if (results.length > 0) return results.reduce(joined);
    const shown = `${on === undefined ? "" : `${typeText(on)}.`}(${given.map(typeText).join(", ")})`;
    return this.#fault(expr, `found no matching overload for '${whole}' applied to '${shown}'`, !/^[_@!-]/.test(name));
  }

  #bind([variable, value, body]: readonly Expr[], scope: Scope): StaticType {
    const bound = value === undefined ? dyn : this.infer(value, scope);
    const name = variable?.exprKind.case === "identExpr" ? variable.exprKind.value.name : "";
    return body === undefined ? dyn : this.infer(body, new Map([...scope, [name, bound]]));
  }

  #optionalSelect(expr: Expr, { target, args: [name] }: Selection, scope: Scope): StaticType {
    const constant = name?.exprKind.case === "constExpr" ? name.exprKind.value.constantKind : undefined;
    const type = this.infer(target, scope);
    const field = constant?.case === "stringValue" ? constant.value : "";
    const inner = type.name === "optional_type" ? (type.of[0] ?? dyn) : type;
    return optionalOfType(this.#member(expr, inner, field));
  }

  #optionalIndex(expr: Expr, { target, args: [index] }: Selection, scope: Scope): StaticType {
    const type = this.infer(target, scope);
    const inner = type.name === "optional_type" ? (type.of[0] ?? dyn) : type;
    const by = index === undefined ? dyn : this.infer(index, scope);
    const results = signaturesOf("_[_]").flatMap((signature) => resultOf(signature, undefined, [inner, by]) ?? []);
    if (results.length > 0) return optionalOfType(results.reduce(joined));
    const shown = `(${typeText(inner)}, ${typeText(by)})`;
    return this.#fault(expr, `found no matching overload for '_[?_]' applied to '${shown}'`);
  }

  #loop(expr: Expr, loop: Comprehension, scope: Scope): StaticType {
    const range = loop.iterRange === undefined ? dyn : this.infer(loop.iterRange, scope);
    if (!["list", "map", "dyn"].includes(range.name)) {
      const what = `expression of type '${typeText(range)}' cannot be range of a comprehension`;
      return this.#fault(loop.iterRange ?? expr, `${what} (must be list, map, or dynamic)`);
    }
    const initial = loop.accuInit === undefined ? dyn : this.infer(loop.accuInit, scope);
    const inner = new Map([...scope, [loop.iterVar, range.of[0] ?? dyn], [loop.accuVar, initial]]);
    if (loop.loopCondition !== undefined) this.infer(loop.loopCondition, inner);
    const step = loop.loopStep === undefined ? initial : this.infer(loop.loopStep, inner);
    const after = new Map([...scope, [loop.accuVar, step]]);
    return loop.result === undefined ? step : this.infer(loop.result, after);
  }
}

const constantTypes: Readonly<Record<string, StaticType>> = {
  boolValue: bool,
  int64Value: int,
  uint64Value: typeNamed("uint"),
  doubleValue: typeNamed("double"),
  stringValue: text,
  bytesValue: typeNamed("bytes"),
  nullValue: typeNamed("null_type"),
};

/** The type of a call's result; undefined where the signature does not fit. */
function resultOf(
  { target, parameters, result }: Signature,
  on: StaticType | undefined,
  given: readonly StaticType[],
): StaticType | undefined {
  if ((target === undefined) !== (on === undefined) || parameters.length !== given.length) return undefined;
  const bindings: Bindings = new Map();
  if (target !== undefined && on !== undefined && !isAssignable(on, target, bindings)) return undefined;
  if (!given.every((type, index) => isAssignable(type, parameters[index] ?? dyn, bindings))) return undefined;
  return resolved(result, bindings);
}
