import { UnusableCommand } from "../kubectl-command.ts";

/** A person does not type longer lines. */
const lineMax = 1_000;

/** A word as a shell reads it: plain, quoted and escaped parts without a space between them. */
const wordParts = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g;
const wordPart = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g;

/**
 * The words of a command line without `kubectl`, as a shell splits them: `-p='{"a": 1}'` is one
 * word. @throws UnusableCommand
 */
export function splitWords(line: string): string[] {
  if (line.length > lineMax) throw new UnusableCommand(`a command has at most ${lineMax} characters`);
  const words = (line.match(wordParts) ?? []).map((word) =>
    word.replaceAll(wordPart, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1"),
    ),
  );
  const quotes = line.replaceAll(wordParts, "");
  if (/["']/.test(quotes)) throw new UnusableCommand("a quotation mark is not closed");
  return words[0] === "kubectl" || words[0] === "k" ? words.slice(1) : words;
}

interface FlagForm {
  readonly short?: string;
  readonly takesValue: boolean;
}

/** The flags that the command bar supports; all other flags are rejected by name. */
export const flagForms = {
  namespace: { short: "n", takesValue: true },
  "all-namespaces": { short: "A", takesValue: false },
  output: { short: "o", takesValue: true },
  "show-labels": { takesValue: false },
  "field-selector": { takesValue: true },
  selector: { short: "l", takesValue: true },
  container: { short: "c", takesValue: true },
  "all-containers": { takesValue: false },
  tail: { takesValue: true },
  previous: { short: "p", takesValue: false },
  replicas: { takesValue: true },
  for: { takesValue: true },
  filename: { short: "f", takesValue: true },
  "server-side": { takesValue: false },
  "ignore-daemonsets": { takesValue: false },
  "delete-emptydir-data": { takesValue: false },
  force: { takesValue: false },
  "grace-period": { takesValue: true },
  now: { takesValue: false },
  overwrite: { takesValue: false },
  type: { takesValue: true },
  patch: { short: "p", takesValue: true },
  subresource: { takesValue: true },
  from: { takesValue: true },
} as const satisfies Record<string, FlagForm>;

export type FlagName = keyof typeof flagForms;

/** The flags of each command, in the order in which they are suggested. */
export const verbFlags: Readonly<Record<string, readonly FlagName[]>> = {
  get: ["namespace", "all-namespaces", "output", "selector", "show-labels", "field-selector"],
  describe: ["namespace"],
  edit: ["namespace"],
  logs: ["container", "all-containers", "previous", "tail", "namespace"],
  explain: ["namespace"],
  events: ["for", "namespace"],
  scale: ["replicas", "namespace"],
  cordon: ["namespace"],
  uncordon: ["namespace"],
  drain: ["ignore-daemonsets", "delete-emptydir-data", "force", "namespace"],
  delete: ["namespace", "grace-period", "now", "force"],
  apply: ["filename", "server-side", "namespace"],
  taint: ["overwrite", "namespace"],
  rollout: ["namespace"],
  patch: ["patch", "type", "subresource", "namespace"],
  set: ["namespace"],
  label: ["overwrite", "namespace"],
  annotate: ["overwrite", "namespace"],
  create: ["from", "namespace"],
};

export interface ReadWords {
  readonly operands: readonly string[];
  readonly flags: Readonly<Partial<Record<FlagName, string>>>;
}

/** Moves the flags in front of a command behind it: `-n shop get pods` is `get pods -n shop`. */
export function flagsLast(words: readonly string[]): string[] {
  let verb = 0;
  while (words[verb]?.startsWith("-") === true)
    verb += readFlag(words[verb] ?? "", allFlags)?.value === undefined ? 2 : 1;
  return [...words.slice(verb), ...words.slice(0, verb)];
}

/** Separates flags from operands. @throws UnusableCommand for a flag that the command lacks. */
export function readWords(verb: string, words: readonly string[]): ReadWords {
  const operands: string[] = [];
  const flags: Partial<Record<FlagName, string>> = {};
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const { flag, value } = readFlag(word, verbFlags[verb] ?? []) ?? {};
    if (flag === undefined) {
      const known = (verbFlags[verb] ?? []).map((each) => `--${each}`);
      const hint = known.length === 0 ? "it does not accept flags here" : `its flags here are ${known.join(", ")}`;
      throw new UnusableCommand(`${verb} has no flag ${word.split("=")[0]}; ${hint}`);
    }
    const given = value ?? rest.shift();
    if (given === undefined) throw new UnusableCommand(`--${flag} needs a value`);
    flags[flag] = given;
  }
  return { operands, flags };
}

const allFlags = Object.keys(flagForms) as FlagName[];

/**
 * Reads `--namespace=shop`, `-n=shop`, `-nshop` and `--force`. The value is undefined if it is the
 * next word; the result is undefined for an unknown flag.
 */
function readFlag(
  word: string,
  flags: readonly FlagName[],
): { readonly flag: FlagName; readonly value: string | undefined } | undefined {
  const [, dashes = "", name = "", given] = /^(--?)([A-Za-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = flags.find((each) => (dashes === "--" ? each === name : dashes === "-" && shortOf(each) === name));
  if (flag !== undefined) return { flag, value: given ?? (flagForms[flag].takesValue ? undefined : "true") };
  const attached = flags.find((each) => flagForms[each].takesValue && shortOf(each) === word.charAt(1));
  return attached === undefined || word.startsWith("--") ? undefined : { flag: attached, value: word.slice(2) };
}

function shortOf(flag: FlagName): string | undefined {
  const form: FlagForm = flagForms[flag];
  return form.short;
}
