/**
 * Replaces `$(NAME)` by the variable's value, as in commands, arguments and variables. A reference
 * to an unknown variable is unchanged, `$$(NAME)` becomes `$(NAME)`, and no other text with a
 * dollar changes.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return "$";
    return variables.get(name) ?? match;
  });
}
