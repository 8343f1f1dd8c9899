export interface ForeignImport {
  readonly path: string;
  readonly external?: boolean;
}
export interface BundledImport {
  readonly path: string;
  readonly kind: string;
}
export interface PackageContent {
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly testServerBytes: number;
}
export function entryPoints(files: readonly string[]): Record<string, string>;
export const launcher: string;
export function libraryModule(script: string, names: readonly string[]): string;
export const libraries: Record<string, string>;
export function manifest(checkout: object, dependencies: Record<string, string>): Record<string, unknown>;
export function bundledPackages(inputs: readonly string[]): string[];
export function externalPackages(outputs: readonly { imports: readonly ForeignImport[] }[]): string[];
export function loadedBytes(
  outputs: Readonly<Record<string, { readonly bytes: number; readonly imports: readonly BundledImport[] }>>,
  entry: string,
): number;
export const testServerBytesMax: number;
export const packedBytesMax: number;
export const unpackedBytesMax: number;
export function packageFaults(
  content: PackageContent,
  manifest: { scripts?: object; dependencies: Record<string, string> },
): string[];
export function byName(left: string, right: string): number;
