/** The static type of an expression: a name with the types of its parts. */
export interface StaticType {
  readonly name: string;
  readonly of: readonly StaticType[];
  /** Set for an object whose fields are known. */
  readonly fields?: Readonly<Record<string, StaticType>>;
}

export function typeNamed(name: string, ...of: readonly StaticType[]): StaticType {
  return { name, of };
}

export function objectWith(name: string, fields: Readonly<Record<string, StaticType>>): StaticType {
  return { name, of: [], fields };
}

export const dyn = typeNamed("dyn");
/** The type of the items of an empty list, which may be any type. */
export const undecided = typeNamed("Z");
export const listOfType = (item: StaticType): StaticType => boundedType("list", item);
export const mapOfType = (key: StaticType, value: StaticType): StaticType => boundedType("map", key, value);
export const optionalOfType = (value: StaticType): StaticType => boundedType("optional_type", value);

/**
 * The largest number of parts of a type. A variable whose value contains the previous variable
 * twice doubles the type, and values of such types are not useful, so a larger type becomes `any`.
 */
const partsMax = 64;
const partsOfTypes = new WeakMap<StaticType, number>();

function boundedType(name: string, ...of: readonly StaticType[]): StaticType {
  const parts = of.reduce((sum, part) => sum + (partsOfTypes.get(part) ?? 1), 1);
  if (parts > partsMax) return dyn;
  const type = typeNamed(name, ...of);
  partsOfTypes.set(type, parts);
  return type;
}

/** The text of a type in messages, as upstream's library writes it. */
export function typeText(type: StaticType): string {
  const { name, of } = isParameter(type) ? dyn : type;
  return of.length === 0 ? name : `${name}(${of.map(typeText).join(", ")})`;
}

/** The values of type parameters, by their names. */
export type Bindings = Map<string, StaticType>;

const isParameter = ({ name }: StaticType): boolean => /^[A-Z]$/.test(name);

/** Reports whether a value of one type may be used where another type is expected. */
export function isAssignable(actual: StaticType, expected: StaticType, bindings: Bindings = new Map()): boolean {
  if (expected.name === "dyn") return true;
  if (isParameter(expected)) {
    const bound = bindings.get(expected.name);
    if (bound === undefined || isParameter(bound)) {
      bindings.set(expected.name, actual);
      return true;
    }
    // Null may be used where an object is expected.
    return isAssignable(actual, bound, bindings) || isNullable(actual, bound);
  }
  if (actual.name === "dyn" || isParameter(actual)) return true;
  if (actual.name !== expected.name) return isNullable(actual, expected);
  return actual.of.every((part, index) => isAssignable(part, expected.of[index] ?? dyn, bindings));
}

const scalars = new Set(["bool", "int", "uint", "double", "string", "bytes", "list", "map", "type"]);

/** Null represents a missing object, and a missing timestamp or duration. */
function isNullable(actual: StaticType, expected: StaticType): boolean {
  if (actual.name === "null_type") return !scalars.has(expected.name);
  return expected.name === "null_type" && !scalars.has(actual.name);
}

/** A type in which each parameter is replaced by its value. */
export function resolved(type: StaticType, bindings: Bindings): StaticType {
  if (isParameter(type)) return bindings.get(type.name) ?? dyn;
  return type.of.length === 0 ? type : boundedType(type.name, ...type.of.map((part) => resolved(part, bindings)));
}

/** The type of a value that has either of two types. */
export function joined(a: StaticType, b: StaticType): StaticType {
  if (isParameter(a) || typeText(a) === typeText(b)) return b;
  if (a.name === b.name && a.of.length > 0) {
    return boundedType(a.name, ...a.of.map((part, index) => joined(part, b.of[index] ?? dyn)));
  }
  return dyn;
}
