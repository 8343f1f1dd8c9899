/**
 * An exact amount of a resource. Texts such as `100m`, `1.5`, `1Gi` or `1e3` are parsed into units
 * of 10⁻⁹, the finest unit that upstream supports; finer amounts are rounded away from zero.
 */
export interface ExactQuantity {
  readonly nanos: bigint;
  /**
   * The family of suffixes of the original text, which is used again when the amount is formatted.
   */
  readonly format: QuantityFormat;
}

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The error for text that is not a quantity. Messages are upstream's. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const nanosPerUnit = 1_000_000_000n;

/** Larger amounts are limited to this value, as upstream's int64. */
const unitsMax = 2n ** 63n - 1n;

const decimalExponents: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

const decimalSuffixes = new Map([...decimalExponents].map(([suffix, exponent]) => [exponent, suffix]));

const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/**
 * More digits than a useful amount has; the cost of arithmetic grows with the square of the number
 * of digits.
 */
const quantityLengthMax = 128;

/** @throws QuantityError with upstream's wording. */
export function parseQuantity(text: string | number): ExactQuantity {
  if (typeof text === "string" && text.length > quantityLengthMax) {
    throw new QuantityError(`quantities must be no longer than ${quantityLengthMax} characters`);
  }
  const match = /^([+-]?)([0-9.]+)([eEinumkKMGTP]*)([-+]?[0-9]*)$/.exec(String(text));
  if (match === null) throw new QuantityError(formatWrong);
  const [, sign, digits, suffix, exponent] = match as unknown as [string, string, string, string, string];
  const dot = digits.indexOf(".");
  if (dot !== digits.lastIndexOf(".")) throw new QuantityError(formatWrong);
  const whole = dot < 0 ? digits : digits.slice(0, dot);
  const fraction = dot < 0 ? "" : digits.slice(dot + 1);
  if (whole === "" && fraction === "") throw new QuantityError("unable to parse numeric part of quantity");
  const scale = scaleOf(suffix, exponent);
  const unscaled = BigInt(whole + fraction) * scale.factor;
  const nanos = capped(shifted(unscaled, scale.exponent - fraction.length + 9));
  // Powers of 1024 cannot represent a value below one exactly.
  const format = scale.format === "BinarySI" && nanos > 0n && nanos < nanosPerUnit ? "DecimalSI" : scale.format;
  return { nanos: sign === "-" ? -nanos : nanos, format };
}

/** The canonical form of an amount: `1000m` becomes `1`, `1024Mi` becomes `1Gi`. */
export function formatQuantity({ nanos, format }: ExactQuantity): string {
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const amount = nanos < 0n ? -nanos : nanos;
  const small = amount < 1024n * nanosPerUnit;
  if (format === "BinarySI" && !small && amount % nanosPerUnit === 0n)
    return sign + formatBinary(amount / nanosPerUnit);
  return sign + formatDecimal(amount, format === "DecimalExponent");
}

/** The canonical text of the same amount. */
export function canonicalQuantity(text: string | number): string {
  // Three digits without a leading zero are already canonical, so the usual strings need no
  // arithmetic. Only the suffix E could overflow.
  if (typeof text === "string" && /^[1-9][0-9]{0,2}(?:[mkMGTP]|[KMGTP]i)?$/.test(text)) return text;
  return formatQuantity(parseQuantity(text));
}

/** The same as `canonicalQuantity`, but `undefined` if the text is not a quantity. */
export function findCanonicalQuantity(text: string | number): string | undefined {
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

export function isQuantity(text: string | number): boolean {
  return findCanonicalQuantity(text) !== undefined;
}

/** Negative, zero or positive, if `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: string, b: string): number {
  const left = parseQuantity(a).nanos;
  const right = parseQuantity(b).nanos;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The sum, written in the family of `a` unless `a` is zero. */
export function addQuantities(a: string, b: string): string {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return formatQuantity({ nanos: left.nanos + right.nanos, format: left.nanos === 0n ? right.format : left.format });
}

/** The difference, which may be negative. */
export function subtractQuantities(a: string, b: string): string {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return formatQuantity({ nanos: left.nanos - right.nanos, format: left.nanos === 0n ? right.format : left.format });
}

/** Whole units, rounded up: bytes of memory, or a count of pods. */
export function wholeUnits(text: string): number {
  // Nearly all pods have sizes in Ki, Mi and Gi, which floating point represents exactly up to
  // 2^53.
  const match = /^([1-9][0-9]{0,5})(Ki|Mi|Gi)?$/.exec(text);
  if (match !== null)
    return Number(match[1]) * (match[2] === undefined ? 1 : binaryFactors[match[2] as "Ki" | "Mi" | "Gi"]);
  return Number(ceilDivided(parseQuantity(text).nanos, nanosPerUnit));
}

/** Thousandths, rounded up: `250m` and `0.25` of a CPU are 250. */
export function milliUnits(text: string): number {
  const match = /^([1-9][0-9]{0,5})(m)?$/.exec(text);
  if (match !== null) return Number(match[1]) * (match[2] === undefined ? 1000 : 1);
  return Number(ceilDivided(parseQuantity(text).nanos, 1_000_000n));
}

/** A CPU amount in thousandths of a core, rounded up; 0 when absent. */
export function cpuMillicores(text: string | undefined): number {
  return text === undefined ? 0 : milliUnits(text);
}

/** A memory or storage amount in bytes, rounded up; 0 when absent. */
export function memoryBytes(text: string | undefined): number {
  return text === undefined ? 0 : wholeUnits(text);
}

/** A number of bytes as a quantity. */
export function bytesQuantity(bytes: number): string {
  return formatQuantity({ nanos: BigInt(bytes) * nanosPerUnit, format: "BinarySI" });
}

/** A number of thousandths as a quantity. */
export function milliQuantity(millis: number): string {
  return formatQuantity({ nanos: BigInt(millis) * 1_000_000n, format: "DecimalSI" });
}

const binaryFactors = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 } as const;

interface Scale {
  factor: bigint;
  exponent: number;
  format: QuantityFormat;
}

function scaleOf(suffix: string, exponent: string): Scale {
  if (exponent === "") {
    const decimal = decimalExponents.get(suffix);
    if (decimal !== undefined) return { factor: 1n, exponent: decimal, format: "DecimalSI" };
    const binary = suffix === "" ? -1 : binarySuffixes.indexOf(suffix);
    if (binary > 0) return { factor: 1024n ** BigInt(binary), exponent: 0, format: "BinarySI" };
    throw new QuantityError("unable to parse quantity's suffix");
  }
  if ((suffix !== "e" && suffix !== "E") || !/^[-+]?[0-9]{1,9}$/.test(exponent)) {
    throw new QuantityError("unable to parse quantity's suffix");
  }
  return { factor: 1n, exponent: Number(exponent), format: "DecimalExponent" };
}

/** `value × 10^exponent`, rounded up; limited, so that `1e999999999` costs nothing. */
function shifted(value: bigint, exponent: number): bigint {
  if (value === 0n) return 0n;
  if (exponent > 30) return unitsMax * nanosPerUnit;
  if (exponent >= 0) return value * powerOfTen(exponent);
  // An accepted amount never has this many digits.
  if (-exponent > quantityLengthMax) return 1n;
  const divisor = powerOfTen(-exponent);
  return value < divisor ? 1n : ceilDivided(value, divisor);
}

const powersOfTen: bigint[] = [];

function powerOfTen(exponent: number): bigint {
  return (powersOfTen[exponent] ??= 10n ** BigInt(exponent));
}

function capped(nanos: bigint): bigint {
  return nanos > unitsMax * nanosPerUnit ? unitsMax * nanosPerUnit : nanos;
}

function ceilDivided(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor > 0n ? quotient + 1n : quotient;
}

function formatBinary(units: bigint): string {
  let rest = units;
  let power = 0;
  while (power < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binarySuffixes[power]}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let rest = nanos;
  let exponent = -9;
  while (exponent < 18 && rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  return `${rest}${decimalSuffixes.get(exponent)}`;
}
