import type { DeviceAttribute } from "@kintsugi/api";
import { compileCel, mapOfMaps } from "@kintsugi/cel";
import type { CompileSelector, PooledDevice, SelectorProgram } from "@kintsugi/scheduling";

/** Half of upstream's CELSelectorExpressionMaxCost, for one device and for a decision. */
const evaluationCostMax = 500_000;

/**
 * Compiles selectors of devices. They read `device.driver`, `device.attributes` and
 * `device.capacity` by domain and name, and `device.allowMultipleAllocations`.
 */
export const compileSelector: CompileSelector = (expression) => {
  let compiled: ReturnType<typeof compileCel>;
  try {
    compiled = compileCel(expression);
  } catch (error) {
    return { fault: (error as Error).message };
  }
  const program: SelectorProgram = (device, budget) => {
    const variable = celDevice(device, budget);
    if (budget.costLeft < 0) return "exhausted";
    const limit = Math.min(evaluationCostMax, budget.costLeft);
    const cost = { costLeft: limit };
    const result = compiled.evaluate({ device: variable }, cost);
    budget.costLeft -= limit - cost.costLeft;
    switch (result.outcome) {
      case "value":
        if (typeof result.value === "boolean") return result.value;
        return { fault: "CEL runtime error: the expression did not evaluate to a boolean" };
      case "error":
        return { fault: `CEL runtime error: ${result.message}` };
      case "tooCostly":
        if (limit < evaluationCostMax) return "exhausted";
        return { fault: "CEL runtime error: actual cost limit exceeded" };
    }
  };
  return program;
};

/** Names without a domain are in their driver's domain. */
function byDomain<T>(members: Readonly<Record<string, T>> | undefined, driver: string, toCel: (value: T) => unknown) {
  const domains = new Map<string, Map<string, unknown>>();
  for (const [qualified, value] of Object.entries(members ?? {})) {
    const slash = qualified.indexOf("/");
    const [domain, name] = slash < 0 ? [driver, qualified] : [qualified.slice(0, slash), qualified.slice(slash + 1)];
    const names = domains.get(domain) ?? new Map<string, unknown>();
    names.set(name, toCel(value));
    domains.set(domain, names);
  }
  return mapOfMaps(domains);
}

/** The cost of an attribute or capacity as a value of an expression. */
const memberCost = 100;
/** The variables of devices, whose attributes never change. */
const devices = new WeakMap<PooledDevice, ReadonlyMap<string, unknown>>();

function celDevice(pooled: PooledDevice, budget: { costLeft: number }): ReadonlyMap<string, unknown> {
  const known = devices.get(pooled);
  if (known !== undefined) return known;
  const { attributes = {}, capacity = {} } = pooled.device;
  budget.costLeft -= memberCost * (Object.keys(attributes).length + Object.keys(capacity).length);
  const made = variableOf(pooled);
  devices.set(pooled, made);
  return made;
}

function variableOf({ device, pool }: PooledDevice): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ["driver", pool.driver],
    ["attributes", byDomain(device.attributes, pool.driver, celAttribute)],
    ["capacity", byDomain(device.capacity, pool.driver, ({ value }) => converted("quantity", value))],
    ["allowMultipleAllocations", device.allowMultipleAllocations === true],
  ]);
}

function celAttribute(attribute: DeviceAttribute): unknown {
  const { int, bool, string, version, ints, bools, strings, versions } = attribute;
  if (int !== undefined) return BigInt(int);
  if (version !== undefined) return converted("semver", version);
  return (
    bool ??
    string ??
    ints?.map((value) => BigInt(value)) ??
    bools ??
    strings ??
    versions?.map((value) => converted("semver", value)) ??
    null
  );
}

/** Each selector is compiled at its first use, because most clusters have no devices. */
const converters = new Map<"quantity" | "semver", ReturnType<typeof compileCel>>();

/**
 * Validation has parsed these strings before, so a string without a value is a fault of the
 * program.
 */
function converted(type: "quantity" | "semver", text: string): unknown {
  const converter = converters.get(type) ?? compileCel(`${type}(text)`);
  converters.set(type, converter);
  const result = converter.evaluate({ text }, { costLeft: 1_000 });
  if (result.outcome !== "value") throw new Error(`${text} is not a ${type}`);
  return result.value;
}
