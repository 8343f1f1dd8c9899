/**
 * The maximum size of a ConfigMap's or Secret's data, because every client that watches it keeps it
 * in memory.
 */
export const dataBytesMax = 1024 * 1024;

export const onceImmutable = "field is immutable when `immutable` is set";

type Data = Readonly<Record<string, string>> | undefined;

export function dataBytesOf(data: Data, bytesOf: (value: string) => number): number {
  return Object.values(data ?? {}).reduce((sum, value) => sum + bytesOf(value), 0);
}
