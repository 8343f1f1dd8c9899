/**
 * Orders versions as Kubernetes does, the preferred version first: v10, v2, v1, v11beta2, v3beta1,
 * v12alpha1, then all other versions in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [ranksOf(a), ranksOf(b)];
  for (const [index, rank] of left.entries()) {
    const difference = (right[index] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

const maturities = ["alpha", "beta", ""];

/** The maturity of a version, its number, and the number after its maturity. */
function ranksOf(version: string): readonly [number, number, number] {
  const [, major, maturity = "", minor = "0"] = /^v([1-9]\d{0,8})(?:(alpha|beta)([1-9]\d{0,8}))?$/.exec(version) ?? [];
  if (major === undefined) return [-1, 0, 0];
  return [maturities.indexOf(maturity), Number(major), Number(minor)];
}
