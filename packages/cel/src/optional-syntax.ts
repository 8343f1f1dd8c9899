/** The function that selects a field of a value, as an optional. */
export const optionalSelect = "optionalField";

/**
 * Writes optional selections (`self.?spec.name`), which the parser does not know, as calls of a
 * function. Behind one, every selection of the same chain is optional too.
 *   self.?spec.name.orValue("")   self.optionalField("spec").optionalField("name").orValue("")
 */
export function withoutOptionalSyntax(text: string): string {
  if (!text.includes(".?")) return text;
  let result = "";
  let inChain = false;
  for (const token of tokensOf(text)) {
    const [, mark, name] = /^\s*\.\s*(\?)?\s*([A-Za-z_]\w*)$/.exec(token) ?? [];
    if (name !== undefined && (mark === "?" || inChain)) {
      inChain = true;
      result += `.${optionalSelect}("${name}")`;
      continue;
    }
    if (!/^\s+$/.test(token)) inChain = false;
    result += token;
  }
  return result;
}

/**
 * The text in pieces: literals and comments as a whole, selections that are no calls, and single
 * characters.
 */
function tokensOf(text: string): string[] {
  return text.match(tokens) ?? [];
}

const tokens =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\s*\.\s*\??\s*[A-Za-z_]\w*(?![\w(]|\s+\()|[\s\S]/g;
