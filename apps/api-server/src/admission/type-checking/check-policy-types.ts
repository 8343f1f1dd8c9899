import type { ObjectDescription, ValidatingAdmissionPolicy } from "@kintsugi/api";
import {
  compileCel,
  ExpressionBudget,
  HeldExpressions,
  objectWith,
  type StaticType,
  syntaxFaultText,
} from "@kintsugi/cel";
import { authorizerType, namespaceType, requestType } from "../expressions/expression-types.ts";
import { celTypeOf, type KnownTypes } from "./described-types.ts";

/** A kind that is served, as rules and messages name it. */
export interface TypedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly description: ObjectDescription;
}

/** Finds the kinds that are served. */
export interface KindFinder {
  byResource(group: string, version: string, resource: string): TypedKind | undefined;
  byKind(apiVersion: string, kind: string): TypedKind | undefined;
}

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/**
 * Upstream's maxTypesToCheck: a policy that matches more kinds is checked with the first kinds
 * only.
 */
const kindsMax = 10;

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]>;

/** One expression of a policy, which is checked separately. */
interface Checked {
  readonly field: string;
  readonly text: string;
}

/**
 * Checks the validations of a policy with the types of the kinds that its rules name, as in
 * upstream's validating/typechecking.go. Each call of `next` checks one expression with one type,
 * so that the caller can yield to other requests in between. Expressions beyond the budget of an
 * object, which an earlier version may have stored, are not checked.
 */
export function* checkPolicyTypes(
  { spec = {} }: ValidatingAdmissionPolicy,
  kinds: KindFinder,
): Generator<ExpressionWarning | undefined> {
  const about = kindsOf(spec, kinds);
  const known: KnownTypes = new Map();
  const { apiVersion = "", kind = "" } = spec.paramKind ?? {};
  const params = spec.paramKind === undefined ? undefined : kinds.byKind(apiVersion, kind);
  using held = new HeldExpressions();
  const budget = new ExpressionBudget();
  const worlds: Readonly<Record<string, StaticType>>[] = [];
  for (const object of about) worlds.push(yield* worldOf(spec, { object, params, known, held, budget }));
  for (const { field, text } of checkedOf(spec)) {
    const found: string[] = [];
    for (const [index, each] of about.entries()) {
      if (index === 0 && !budget.covers(text)) break;
      held.add(text);
      const faults = faultsOf(text, worlds[index] ?? {});
      if (faults.length > 0) found.push(`${nameOf(each)}: ${faults.join("\n")}\n`);
      yield undefined;
    }
    if (found.length > 0) yield { fieldRef: field, warning: found.join("\n") };
  }
}

function checkedOf({ validations = [] }: Spec): Checked[] {
  return validations.flatMap(({ expression, messageExpression = "" }, index) => [
    { field: `spec.validations[${index}].expression`, text: expression },
    ...(messageExpression === ""
      ? []
      : [{ field: `spec.validations[${index}].messageExpression`, text: messageExpression }]),
  ]);
}

interface Surroundings {
  readonly object: TypedKind;
  readonly params: TypedKind | undefined;
  readonly known: KnownTypes;
  /** Keeps the compiled expressions for the next kind. */
  readonly held: HeldExpressions;
  readonly budget: ExpressionBudget;
}

/** The typed variables of the expressions, for objects of one kind. */
function* worldOf(
  { variables = [] }: Spec,
  { object, params, known, held, budget }: Surroundings,
): Generator<undefined, Readonly<Record<string, StaticType>>> {
  const type = celTypeOf(object.description, known);
  const common = {
    object: type,
    oldObject: type,
    request: requestType,
    namespaceObject: namespaceType,
    authorizer: authorizerType,
    ...(params !== undefined && { params: celTypeOf(params.description, known) }),
  };
  const made: Record<string, StaticType> = Object.create(null) as Record<string, StaticType>;
  const world = { ...common, variables: objectWith("kubernetes.variables", made) };
  for (const { name, expression } of variables) {
    if (!held.has(expression) && !budget.covers(expression)) continue;
    held.add(expression);
    const result = typeOf(expression, world);
    // A variable with a fault is not declared, and each expression that uses it has a warning.
    if (result !== undefined) made[name] = result;
    yield undefined;
  }
  return world;
}

function typeOf(text: string, world: Readonly<Record<string, StaticType>>): StaticType | undefined {
  try {
    const { type, faults } = compileCel(text).check(world);
    return faults.length === 0 ? type : undefined;
  } catch {
    return undefined;
  }
}

function faultsOf(text: string, world: Readonly<Record<string, StaticType>>): readonly string[] {
  try {
    return compileCel(text).check(world).faults;
  } catch (error) {
    return [syntaxFaultText(error, text)];
  }
}

/** The kinds of the rules without wildcards and subresources, in the order of their names. */
function kindsOf({ matchConstraints }: Spec, kinds: KindFinder): TypedKind[] {
  const found = new Map<string, TypedKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes("*"))) continue;
    for (const group of apiGroups.toSorted()) {
      for (const version of apiVersions.toSorted()) {
        for (const resource of resources.filter((name) => !/[*/]/.test(name)).toSorted()) {
          if (found.size >= kindsMax) break;
          const kind = kinds.byResource(group, version, resource);
          if (kind !== undefined) found.set(nameOf(kind), kind);
        }
      }
    }
  }
  return [...found.values()].toSorted((a, b) => compare(sortKey(a), sortKey(b)));
}

const sortKey = ({ group, version, kind }: TypedKind) => [group, version, kind].join("\0");
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Go's text of a GroupVersionKind: "apps/v1, Kind=Deployment", "/v1, Kind=Pod". */
function nameOf({ group, version, kind }: TypedKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
