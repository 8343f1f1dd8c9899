import { UnusableCommand } from "./kubectl-command.ts";

/** A person does not type longer lines. */
const lineMax = 1_000;

/** The words of a command line; quoted text is one word. @throws UnusableCommand */
export function splitWords(line: string): string[] {
  if (line.length > lineMax) throw new UnusableCommand(`a command has at most ${lineMax} characters`);
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  const quotes = line.replaceAll(/"[^"]*"|'[^']*'/g, "");
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
  selector: { short: "l", takesValue: true },
  container: { short: "c", takesValue: true },
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
} as const satisfies Record<string, FlagForm>;

export type FlagName = keyof typeof flagForms;

/** The flags of each command, in the order in which they are suggested. */
export const verbFlags: Readonly<Record<string, readonly FlagName[]>> = {
  get: ["namespace", "all-namespaces", "output", "selector"],
  describe: ["namespace"],
  edit: ["namespace"],
  logs: ["container", "previous", "tail", "namespace"],
  explain: [],
  events: ["for", "namespace"],
  scale: ["replicas", "namespace"],
  cordon: [],
  uncordon: [],
  drain: ["ignore-daemonsets", "delete-emptydir-data", "force"],
  delete: ["namespace", "grace-period", "now", "force"],
  apply: ["filename", "server-side", "namespace"],
};

export interface ReadWords {
  readonly operands: readonly string[];
  readonly flags: Readonly<Partial<Record<FlagName, string>>>;
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
    const [, dashes = "", name = "", value] = /^(--?)([A-Za-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    const flag = flagNamed(verb, dashes, name);
    if (flag === undefined) {
      const known = (verbFlags[verb] ?? []).map((each) => `--${each}`);
      const hint = known.length === 0 ? "it does not accept flags here" : `its flags here are ${known.join(", ")}`;
      throw new UnusableCommand(`${verb} has no flag ${word.split("=")[0]}; ${hint}`);
    }
    const given = flagForms[flag].takesValue ? (value ?? rest.shift()) : (value ?? "true");
    if (given === undefined) throw new UnusableCommand(`--${flag} needs a value`);
    flags[flag] = given;
  }
  return { operands, flags };
}

function flagNamed(verb: string, dashes: string, name: string): FlagName | undefined {
  return (verbFlags[verb] ?? []).find((flag) => {
    const form: FlagForm = flagForms[flag];
    return dashes === "--" ? flag === name : dashes === "-" && form.short === name;
  });
}
