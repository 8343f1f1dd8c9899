import { type CST, Lexer, type LineCounter, Parser } from "yaml";

export interface YamlTokenOptions {
  /** Receives the beginning of each line, for the positions of faults. */
  readonly lines: LineCounter;
  /** Limit of nested lists and maps. */
  readonly depthMax: number;
  /** Limit of the tokens of the text. Default: not limited. */
  readonly tokensMax?: number;
  /** The error for a string that exceeds a limit. */
  readonly errorOf: (limit: "depth" | "tokens") => Error;
}

/** A level of a document takes up to three places: the collection, its item, and a pair. */
const placesOfLevel = 3;

/**
 * Yields the tokens of a string, each after its number and its depth are checked. Objects are not
 * made from the tokens, because the library calls itself for each level of an object, and Node.js
 * ends the process where the stack has no room for a regular expression.
 * @throws the error of `errorOf`
 */
export function* yamlTokens(
  text: string,
  { lines, depthMax, tokensMax = Infinity, errorOf }: YamlTokenOptions,
): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > tokensMax) throw errorOf("tokens");
    yield* parser.next(lexeme);
    if (parser.stack.length > placesOfLevel * depthMax) throw errorOf("depth");
  }
  yield* parser.end();
}
