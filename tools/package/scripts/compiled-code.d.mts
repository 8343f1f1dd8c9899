import type { Script } from "node:vm";

export interface CompiledCode {
  of(filename: string, bytes: Buffer): Buffer | undefined;
  add(filename: string, bytes: Buffer, script: Script): void;
  keep(): void;
  keepInTurns(): Promise<void>;
}
export function compiledCode(program: string, directory?: (version: string) => string): CompiledCode;
export function cacheDirectory(version: string, environment?: Readonly<Record<string, string | undefined>>): string;
