export function scriptOfModule(
  text: string,
  facts: { readonly isProgram: boolean; readonly laterImports: readonly string[] },
): string;
export function scriptFile(module: string): string;
