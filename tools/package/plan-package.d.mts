export interface ForeignImport {
  readonly path: string;
  readonly external?: boolean;
}
export interface PackageContent {
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}
export function entryPoints(files: readonly string[]): Record<string, string>;
export function implementationOf(program: string): string;
export function launcher(program: string): string;
export const libraries: Record<string, string>;
export function manifest(checkout: object, dependencies: Record<string, string>): Record<string, unknown>;
export function bundledPackages(inputs: readonly string[]): string[];
export function externalPackages(outputs: readonly { imports: readonly ForeignImport[] }[]): string[];
export const packedBytesMax: number;
export const unpackedBytesMax: number;
export function packageFaults(
  content: PackageContent,
  manifest: { scripts?: object; dependencies: Record<string, string> },
): string[];
export function byName(left: string, right: string): number;
