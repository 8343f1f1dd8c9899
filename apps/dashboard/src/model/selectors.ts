/**
 * Reports whether labels match an equality-based selector. An empty selector does not match any
 * labels.
 */
export function matchesSelector(
  selector: Readonly<Record<string, string>> | null | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
