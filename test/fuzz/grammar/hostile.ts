/** Values in place of a field's expected value; each has stopped a server before. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  "",
  -1,
  0.5,
  2 ** 53,
  1e308,
  [],
  {},
  [[]],
  "9".repeat(400),
  "1e999999999",
  `1${"0".repeat(5000)}Gi`,
  "x".repeat(70_000),
  "\u0000",
  "\u{1f4a9}",
  "../../../../etc/passwd",
  "<script>alert(1)</script>",
  "((((a+)+)+)+)$",
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'),
  deep(60),
  Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}/${"!".repeat(i % 70)}`, "v"])),
  Array.from({ length: 300 }, (_, i) => ({ name: `n${i % 3}`, value: i })),
];

/** An object in an object, `levels` deep. */
function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: [value] };
  return value;
}

/**
 * Replaces the `at`-th part of `body`, counted through the whole tree, by `value`. A function
 * computes the value from the part.
 */
export function replacePart(body: unknown, at: number, value: unknown): unknown {
  const places: { holder: Record<string, unknown>; key: string }[] = [];
  const root = { body: structuredClone(body) };
  collect(root, places);
  const place = places[at % places.length];
  if (place !== undefined)
    place.holder[place.key] = typeof value === "function" ? (value(place.holder[place.key]) as unknown) : value;
  return root.body;
}

/** Bodies have a few hundred parts. */
const placesMax = 10_000;

function collect(holder: object, places: { holder: Record<string, unknown>; key: string }[]): void {
  for (const key of Object.keys(holder)) {
    if (places.length >= placesMax) return;
    const record = holder as Record<string, unknown>;
    places.push({ holder: record, key });
    const part = record[key];
    if (typeof part === "object" && part !== null) collect(part, places);
  }
}

/**
 * Bytes that are not a document of any format, or a document that costs more to read than to send.
 */
export const hostileBytes: readonly Uint8Array[] = [
  "",
  "{",
  "[".repeat(20_000),
  `{"a":`.repeat(5000),
  `{"apiVersion":"v1","apiVersion":"v2","kind":"Pod"}`,
  "\ufeff{}",
  "a: &a [x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]\n",
  `a: [${"1,".repeat(20_000)}1]`,
  "? ? ? ? ? ? ? ?\n",
  "%YAML 9.9\n---\n!!js/function 'x'",
  "k8s\u0000",
  "\u005b\u007f\u007f\u007f\u007f\u007f\u007f\u007f\u007f",
  "k8s\u0000\n\u0004\n\u0002v1\u0012\u0001",
  `{"metadata":{"annotations":{"a":"${"x".repeat(400_000)}"}}}`,
  `{"metadata":{"labels":{${Array.from({ length: 5000 }, (_, i) => `"!${i}":"!"`).join(",")}}}}`,
].map((text) => new TextEncoder().encode(text));
