import type { DeviceAttribute, DeviceClaim } from "@kintsugi/api";
import { concerns, type DeviceDemand } from "./demand.ts";
import type { PooledDevice } from "./pool.ts";

type Constraint = NonNullable<DeviceClaim["constraints"]>[number];

/**
 * A constraint of a claim over the devices that were taken so far. Adding a device can only violate
 * the constraint, so a search may backtrack immediately.
 */
export class ConstraintState {
  readonly #constraint: Constraint;
  readonly #attribute: string;
  /** The values that are still common, or the values that are used, after each device. */
  readonly #after: ReadonlySet<string>[] = [];

  constructor(constraint: Constraint) {
    this.#constraint = constraint;
    this.#attribute = constraint.matchAttribute ?? constraint.distinctAttribute ?? "";
  }

  /** Takes the device, unless that violates the constraint. Each taken device is released again. */
  take(device: PooledDevice, demand: DeviceDemand): boolean {
    if (!concerns(this.#constraint.requests, demand)) return true;
    const values = valuesOf(device, this.#attribute);
    if (values === undefined) return false;
    const before = this.#after.at(-1);
    const after = before === undefined ? values : this.#joined(before, values);
    if (after === undefined) return false;
    this.#after.push(after);
    return true;
  }

  giveBack(demand: DeviceDemand): void {
    if (concerns(this.#constraint.requests, demand)) this.#after.pop();
  }

  #joined(before: ReadonlySet<string>, values: ReadonlySet<string>): ReadonlySet<string> | undefined {
    const common = [...values].filter((value) => before.has(value));
    if (this.#constraint.matchAttribute !== undefined) return common.length === 0 ? undefined : new Set(common);
    return common.length > 0 ? undefined : new Set([...before, ...values]);
  }
}

/**
 * The values of a device's attribute, each with its type. An attribute's name may omit the domain
 * if it is the driver's name.
 */
function valuesOf({ device, pool }: PooledDevice, attribute: string): ReadonlySet<string> | undefined {
  const slash = attribute.indexOf("/");
  const [domain, name] = [attribute.slice(0, slash), attribute.slice(slash + 1)];
  const found =
    own(device.attributes, attribute) ?? (domain === pool.driver ? own(device.attributes, name) : undefined);
  return found === undefined ? undefined : typedValues(found);
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function typedValues(attribute: DeviceAttribute): ReadonlySet<string> | undefined {
  const { int, bool, string, version, ints, bools, strings, versions } = attribute;
  const all = [
    ...(ints ?? (int === undefined ? [] : [int])).map((value) => `int ${value}`),
    ...(bools ?? (bool === undefined ? [] : [bool])).map((value) => `bool ${value}`),
    ...(strings ?? (string === undefined ? [] : [string])).map((value) => `string ${value}`),
    ...(versions ?? (version === undefined ? [] : [version])).map((value) => `version ${value}`),
  ];
  return all.length === 0 ? undefined : new Set(all);
}
