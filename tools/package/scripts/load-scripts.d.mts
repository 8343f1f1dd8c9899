import type { CompiledCode } from "./compiled-code.mjs";

export function loadScripts(code?: Pick<CompiledCode, "of" | "add">): (filename: string) => unknown;
