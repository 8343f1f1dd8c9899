/**
 * The subset of the shell's language for scripted containers:
 *
 *   list     = chain { (";" | newline | "&") chain }   "&" runs the chain before it in background
 *   chain    = command { ("&&" | "||") command }
 *   command  = "while" ("true" | ":") ";" "do" list "done"
 *            | { word } [ (">" | ">>" | ">&") word ]
 *
 * Words may be quoted. Variables, pipes and globs are not supported: a script with one of them gets
 * an error instead of a wrong behavior.
 */
export type ShellList = readonly ShellChain[];

export interface ShellChain {
  background: boolean;
  steps: readonly { join: "first" | "and" | "or"; command: ShellCommand }[];
}

export type ShellCommand =
  | { type: "simple"; words: readonly string[]; redirect?: { operator: ">" | ">>" | ">&"; target: string } }
  | { type: "forever"; body: ShellList };

export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError";
}

interface Token {
  /** An operator, or a word (without its quotes). */
  kind: "operator" | "word";
  text: string;
}

/**
 * @throws ShellSyntaxError for an invalid script, and for a valid script outside of this subset.
 */
export function parseShell(source: string): ShellList {
  const tokens = tokenize(source);
  const list = parseList(tokens, undefined);
  if (tokens.length > 0) throw new ShellSyntaxError(`unexpected "${tokens[0]?.text}"`);
  return list;
}

const tokenPattern = /\s*?(\n|&&|\|\||>>|2>&1|1?>&|[;&>]|(?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>'"()`])+)|[^\S\n]+|(.)/gsy;

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  for (const match of source.matchAll(tokenPattern)) {
    const [, text, stray] = match;
    if (stray !== undefined) throw new ShellSyntaxError(`"${stray}" is not supported in a scripted container`);
    if (text === undefined) continue;
    if (/^(?:\n|&&|\|\||>>|1?>&|2>&1|[;&>])$/.test(text)) {
      tokens.push({ kind: "operator", text: text === "\n" ? ";" : text.replace(/^1>&/, ">&") });
    } else {
      tokens.push({ kind: "word", text: unquote(text) });
    }
  }
  return tokens;
}

function unquote(text: string): string {
  return text.replace(/'[^']*'|"[^"]*"|\\.|\$/gs, (part) => {
    if (part === "$" || (part.startsWith('"') && part.includes("$"))) {
      throw new ShellSyntaxError("variables are not supported");
    }
    return part.startsWith("\\") ? part.slice(1) : part.slice(1, -1);
  });
}

function parseList(tokens: Token[], until: string | undefined): ShellList {
  const list: ShellChain[] = [];
  for (;;) {
    while (isOperator(tokens[0], ";")) tokens.shift();
    if (tokens.length === 0 || (until !== undefined && isWord(tokens[0], until))) return list;
    const steps = parseChain(tokens);
    const background = isOperator(tokens[0], "&");
    if (background) tokens.shift();
    list.push({ background, steps });
    const next = tokens[0];
    if (next && !background && !isOperator(next, ";")) throw new ShellSyntaxError(`unexpected "${next.text}"`);
  }
}

function parseChain(tokens: Token[]): ShellChain["steps"] {
  const steps: { join: "first" | "and" | "or"; command: ShellCommand }[] = [
    { join: "first", command: parseCommand(tokens) },
  ];
  for (;;) {
    if (isOperator(tokens[0], "&&")) steps.push({ join: "and", command: parseCommand(tokens.splice(0, 1) && tokens) });
    else if (isOperator(tokens[0], "||"))
      steps.push({ join: "or", command: parseCommand(tokens.splice(0, 1) && tokens) });
    else return steps;
  }
}

function parseCommand(tokens: Token[]): ShellCommand {
  if (isWord(tokens[0], "while")) return parseLoop(tokens);
  const words: string[] = [];
  let redirect: (ShellCommand & { type: "simple" })["redirect"];
  for (let token = tokens[0]; token; token = tokens[0]) {
    if (token.kind === "word") words.push(token.text);
    else if (token.text === ">" || token.text === ">>" || token.text === ">&") {
      const target = tokens[1];
      if (target?.kind !== "word") throw new ShellSyntaxError(`"${token.text}" needs a target`);
      redirect = { operator: token.text, target: target.text };
      tokens.shift();
    } else if (token.text !== "2>&1") break;
    tokens.shift();
  }
  if (words.length === 0) throw new ShellSyntaxError(`a command is missing before "${tokens[0]?.text ?? "the end"}"`);
  return { type: "simple", words, ...(redirect ? { redirect } : {}) };
}

function parseLoop(tokens: Token[]): ShellCommand {
  tokens.shift();
  const condition = tokens.shift();
  if (!isWord(condition, "true") && !isWord(condition, ":"))
    throw new ShellSyntaxError("only `while true` is supported");
  while (isOperator(tokens[0], ";")) tokens.shift();
  if (!isWord(tokens.shift(), "do")) throw new ShellSyntaxError("`while true` needs `do`");
  const body = parseList(tokens, "done");
  if (!isWord(tokens.shift(), "done")) throw new ShellSyntaxError("`do` needs `done`");
  return { type: "forever", body };
}

function isOperator(token: Token | undefined, text: string): boolean {
  return token?.kind === "operator" && token.text === text;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === "word" && token.text === text;
}
