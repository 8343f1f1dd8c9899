import type { SourceFile } from "./source-files.ts";

/** A habit of this project's English that stops a native reader, and the patterns that show it. */
export interface Habit {
  /** The name is that of its row in the table of STYLE.md, section 1, rule 21. */
  readonly name: string;
  readonly patterns: readonly RegExp[];
  /** False if the habit is a fault only in sentences, and usual in table cells. */
  readonly tables?: false;
}

// A pattern is useful only if plain technical English seldom matches it: the test compares all
// patterns with a page in the manner of Kubernetes' documentation. A share above zero is therefore
// normal, and a ceiling is a number instead of a list of exceptions.
export const habits: readonly Habit[] = [
  {
    name: "pronoun for noun",
    patterns: [
      /\b(?:has|have|had|is|are|was|were|be|needs?|gets?|makes?|leaves?|finds?|sees|with|for) none\b/g,
      /\bnone (?:that|which|is|are|has|have|but)\b/g,
      /\bof which\b/g,
      /\ball that\b/g,
      /\bthe ones?\b/g,
      /\b(?:and|or|than|as|like|to|from|of|with) (?:that|those) (?:of|that|who|which|with|in|on)\b/g,
      /\bthose (?:that|who|without|in|on)\b/g,
    ],
  },
  {
    name: "free relative",
    patterns: [
      /(?<=(?:^|[.;:|] )\W*)What (?!is |are |do |does |you )[^?|.\n]*\./gm,
      /\b(?:of|from|for|by|with|than|to|on|in|over|beside|under|like) what (?!extent|is called)/g,
      /\bwhat (?:goes|comes|has|have|had|they|runs|it (?!does|is|means|looks)|belongs|counts|follows|remains)\b/g,
      /\bwhatever\b/gi,
      /(?:^|[.;:] )Who [a-z]+s\b/g,
    ],
  },
  {
    name: "no X for a negated verb",
    patterns: [
      /(?<!\bthere )\b(?:is|are|was|were|be|been) no (?!longer|more|less|fewer|different|exception|such|need|way|reason|guarantee|limit|data)\b/g,
      new RegExp(
        `\\b(?:${[
          "stop asks? begin block break bring call change count creat creates? delete evict find get give hold keep know leave let",
          "lose make mean miss move open order patch promise reach read refer reject remove run say see send set start take tell",
          "touch trust wake wait want write",
        ]
          .join(" ")
          .replaceAll(" ", "|")})s? (?:no (?!longer|more|less|fewer)|nothing\\b)`,
        "g",
      ),
      /\bby no (?!means)/g,
    ],
  },
  {
    name: "everyday verb",
    patterns: [
      /\b(?:comes?|came)\b(?! from| with| up| back| into effect)/g,
      /\b(?:goes|gone|went)\b(?! to| through| back)/g,
      /\b(?:stands?|stood)\b/g,
      /\b(?:says?|said|tells?|told)\b/g,
      /\b(?:hears?|heard)\b/g,
      /\b(?:asks|asked)\b/g,
      /\blook(?:s|ed)? (?:at|after)\b/g,
      /\b(?:is|are|was|were|be) (?:away|over|there|gone)\b/g,
      /\blaid\b|\blies\b/g,
    ],
  },
  {
    name: "people's word for a program",
    patterns: [
      /\b(?:wish(?:es|ed)?|misfortunes?|hearsay|dice|calm|deaf|ghosts?|pok(?:e|es|ed)|believed?|vouch(?:es|ed)?)\b/gi,
      /\b(?:everybody|anybody|somebody|nobody|whoever)\b/gi,
      /\b(?:afterlife|lives|lived|dies|died|born|alive)\b/gi,
      /\b(?:knows?|knew|trouble|news)\b/gi,
    ],
  },
  {
    name: "adverb",
    patterns: [
      /\b(?:anew|afresh|beside|besides|meanwhile|any more|for ever|as ever|at once|sooner|elsewhere)\b/gi,
      /\balso (?:where|when|if|from|in|by|of|on|to|for|with|after|before|over|an?|the)\b/g,
      /(?<![;,] )\botherwise\b(?!,)/g,
      /\bother than\b/g,
      /\bin place of\b/g,
    ],
  },
  {
    name: "chain of of",
    patterns: [/\bof (?:[\w'’-]+ ){1,3}of (?:[\w'’-]+ ){1,3}of\b/g, /\bof (?:[\w-]+ )?[\w-]+s' \w+/g],
  },
  {
    name: "epigram",
    tables: false,
    patterns: [/[^.!?\n|]*[:;] [^.!?\n|]*; [^.!?\n|]*/g, /[^.!?\n|]*; [^.!?\n|]*: [^.!?\n|]*/g],
  },
  {
    name: "as upstream without the function",
    patterns: [/\b(?:as|like|than|unlike)(?: in| by| at)? upstream(?:'s)?\b(?!'?s? ?`| [a-z]+ `| C)/gi],
  },
  {
    name: "forced form",
    patterns: [/\bthis (?:many|often)\b/g, /\b(?:has|have) this \w+/g, /^The \w+( \w+)?\.$/gm],
  },
];

/** Occurrences of each habit in a text, and the number of its words. */
export interface HabitCounts {
  readonly words: number;
  readonly hits: Readonly<Record<string, readonly string[]>>;
}

/** Finds the habits in prose. The text is that of `proseOf`. */
export function habitsIn(prose: string): HabitCounts {
  const sentences = prose.replaceAll(/^\|[^\n]*$/gm, "");
  const hits = habits.map(({ name, patterns, tables = true }) => {
    return [name, patterns.flatMap((pattern) => (tables ? prose : sentences).match(pattern) ?? [])] as const;
  });
  return { words: prose.split(/\s+/).length, hits: Object.fromEntries(hits) };
}

/** Occurrences per 1,000 words. */
export function habitShare({ words, hits }: HabitCounts): number {
  const found = Object.values(hits).reduce((sum, each) => sum + each.length, 0);
  return (1000 * found) / Math.max(words, 1);
}

/**
 * The English of a file: a document without its code, or a source file's comments, help texts and
 * titles of tests. Each paragraph is a line, since a pattern may span the end of a line.
 */
export function proseOf({ path, text }: SourceFile): string {
  return path.endsWith(".md") ? proseOfDocument(text) : proseOfSource(text);
}

function proseOfDocument(text: string): string {
  const plain = text
    .replaceAll(/^([ \t]*```+)[^\n]*\n[\s\S]*?^\1$/gm, "\n\n")
    .replaceAll(/(?<=\n\n)(?: {4}[^\n]*\n)+/g, "\n")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/"[^"\n]*"/g, '"…"')
    .replaceAll(codeSpan, "`x`");
  // A break inside a paragraph is a space; a table's row, a heading and a list's item are lines.
  return plain.replaceAll(/\n(?![\n|#]|[ \t]*(?:[-*]|\d+\.) )[ \t]*/g, " ");
}

function proseOfSource(text: string): string {
  const comments = Array.from(text.matchAll(comment), ([whole]) =>
    whole
      .replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)[ \t]?|\*\/$/gm, "")
      .replaceAll(codeSpan, "`x`")
      .replaceAll(/"[^"\n]*"/g, '"…"')
      .replaceAll(/\n(?!\n)/g, " ")
      .trim(),
  );
  const strings = Array.from(text.matchAll(userText), ([, , words = ""]) => words);
  return [...comments, ...strings].join("\n");
}

/** The area whose ceiling a file counts for. */
export function areaOf(path: string): string {
  const [first = "", second = "", third] = path.split("/");
  if (first === "tools") return first;
  if (third === undefined) return path;
  if (path.endsWith(".md") && first !== "docs") return path;
  return `${first}/${second}`;
}

/** The share of an area, and some of its occurrences for the message of a failure. */
export interface AreaShare {
  readonly share: number;
  readonly worst: readonly string[];
}

/** Limit of the occurrences in an area's message, so that a failure is readable. */
const worstMax = 12;

export function sharesOf(files: readonly SourceFile[]): Map<string, AreaShare> {
  const areas = new Map<string, { words: number; found: string[] }>();
  for (const file of files) {
    const { words, hits } = habitsIn(proseOf(file));
    const area = areas.get(areaOf(file.path)) ?? { words: 0, found: [] };
    area.words += words;
    for (const hit of Object.values(hits).flat()) area.found.push(`${file.path}: "${hit.trim().slice(0, 60)}"`);
    areas.set(areaOf(file.path), area);
  }
  return new Map(
    [...areas].map(([area, { words, found }]) => {
      return [area, { share: (1000 * found.length) / words, worst: found.slice(0, worstMax) }];
    }),
  );
}

/** A ceiling is lowered when it is over the share by more than a quarter, and by more than 2. */
const slackRatio = 1.25;
const slackMin = 2;

/** A new area may have this share, which is slightly above the share of Kubernetes' own pages. */
const newAreaMax = 4;

export function ceilingFaults(
  ceilings: Readonly<Record<string, number>>,
  shares: ReadonlyMap<string, AreaShare>,
): string[] {
  const faults = [...shares].flatMap(([area, { share, worst }]) => {
    const ceiling = ceilings[area] ?? newAreaMax;
    const shown = Number(share.toFixed(2));
    if (share > ceiling)
      return [`${area} has ${shown} habits per 1,000 words, and its ceiling is ${ceiling}: ${worst.join(", ")}`];
    if (ceiling > newAreaMax && ceiling - share > slackMin && ceiling > slackRatio * share)
      return [`${area} has fallen to ${shown} below its ceiling of ${ceiling}: run this test with LOWER_CEILINGS=1`];
    return [];
  });
  const ended = Object.keys(ceilings).filter((area) => !shares.has(area));
  return [...faults, ...ended.map((area) => `${area} has a ceiling and no text: remove it from english-ceilings.json`)];
}

/** Returns the ceilings after shares have fallen; a ceiling that a share exceeds is unchanged. */
export function lowered(
  ceilings: Readonly<Record<string, number>>,
  shares: ReadonlyMap<string, AreaShare>,
): Record<string, number> {
  const next = [...shares].map(([area, { share }]) => {
    const present = Math.max(newAreaMax, Math.ceil(share * 10) / 10);
    return [area, Math.min(ceilings[area] ?? Number.POSITIVE_INFINITY, present)] as const;
  });
  return Object.fromEntries(
    next.filter(([, ceiling]) => ceiling > newAreaMax).toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

const codeSpan = /(`+)(?:(?!\1)[^\n])+\1/g;
const comment = /(?<=^[ \t]*)(?:\/\*[\s\S]*?\*\/|\/\/ [^\n]*(?:\n[ \t]*\/\/ [^\n]*)*)/gm;

/**
 * Openings of calls and properties whose next string is English: help texts, titles of tests,
 * descriptions of columns and object types, and descriptions of fields, which follow a field's
 * number and type.
 */
const textOpenings = [
  /\bhelp:/,
  /\.description\(/,
  /\.describe\(/,
  /\btest\(/,
  /\bdescribe\(/,
  /\b(?:column|integerColumn|booleanColumn)\(\s*"[^"\n]*",(?:\s*"\.[^"\n]*",)?/,
  /\b(?:object|atomicObject|kind)\(\s*(?:\w+\()?["`][^"`\n]*["`]\)?,/,
  /\b(?:field|required|requiredNullable|always)\(\s*(?:\d+|undefined),(?:(?!\b\w+\(\s*(?:\d|undefined))[\s\S])*?,(?=\s*(?:"[^"\n]*\."|'[^'\n]*\.'))/,
];
const userText = new RegExp(
  `(?:${textOpenings.map(({ source }) => source).join("|")})\\s*(["'])((?:(?!\\1)[^\\n])+)\\1`,
  "g",
);
