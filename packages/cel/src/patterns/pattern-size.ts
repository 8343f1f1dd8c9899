/**
 * Number of steps that a class of Unicode's tables counts as, because it has hundreds of ranges.
 */
const unicodeClassSize = 40;
/** RE2's limit of a repetition. */
const repeatMax = 1000;
/** Larger sizes are not distinguished, because all of them are too large. */
const sizeMax = 1_000_000_000;

interface Group {
  /** The steps of the group without its last atom. */
  before: number;
  /** The last atom, which a repetition after it multiplies. */
  atom: number;
}

/**
 * Estimates how many instructions RE2's program of a pattern has; the estimate is never too low.
 * Repetitions are expanded: `(a{1,30}){1,30}` has 900 times an `a`. The time is linear in the
 * pattern, and the program is not built. An invalid pattern has some size too.
 */
export function patternSize(pattern: string): number {
  const open: Group[] = [];
  let group: Group = { before: 2, atom: 0 };
  const add = (atom: number): void => {
    group.before = Math.min(sizeMax, group.before + group.atom);
    group.atom = Math.min(sizeMax, atom);
  };
  for (let at = 0; at < pattern.length;) {
    const character = pattern[at] ?? "";
    if (character === "\\") {
      const [size, end] = escapeAt(pattern, at);
      add(size);
      // A repetition after literal text repeats the last character of the text.
      if (pattern[at + 1] === "Q") add(1);
      at = end;
    } else if (character === "[") {
      const [size, end] = classAt(pattern, at);
      add(size);
      at = end;
    } else if (character === "(") {
      open.push(group);
      group = { before: 0, atom: 0 };
      // Flags and names of groups count as characters of the group.
      at += pattern[at + 1] === "?" ? 2 : 1;
    } else if (character === ")") {
      const inner = group;
      group = open.pop() ?? { before: 2, atom: 0 };
      add(2 + inner.before + inner.atom);
      at++;
    } else if (character === "|") {
      add(2);
      at++;
    } else if (character === "*" || character === "+" || character === "?") {
      group.atom += 2;
      at++;
    } else {
      const repeat = character === "{" ? repeatAt(pattern, at) : undefined;
      if (repeat === undefined) {
        add(1);
        at++;
      } else {
        group.atom = Math.min(sizeMax, repeated(Math.max(1, group.atom), repeat));
        at = repeat.end;
      }
    }
  }
  return open.reduce((sum, { before, atom }) => sum + before + atom, group.before + group.atom);
}

/** `\Q…\E` is literal text; `\pL` and `\p{Greek}` are classes. */
function escapeAt(pattern: string, at: number): readonly [size: number, end: number] {
  const next = pattern[at + 1];
  if (next === "Q") {
    const end = pattern.indexOf("\\E", at + 2);
    return [1 + (end < 0 ? pattern.length : end) - at, end < 0 ? pattern.length : end + 2];
  }
  if (next === "p" || next === "P") return [unicodeClassSize, at + 2];
  return [1, at + 2];
}

/**
 * A class is one instruction. Its first character may be a closing bracket that does not close the
 * class.
 */
function classAt(pattern: string, from: number): readonly [size: number, end: number] {
  let size = 1;
  let at = from + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  while (at < pattern.length && pattern[at] !== "]") {
    if (pattern[at] === "\\") {
      if (pattern[at + 1] === "p" || pattern[at + 1] === "P") size += unicodeClassSize;
      at += 2;
    } else if (pattern.startsWith("[:", at)) {
      const end = pattern.indexOf(":]", at + 2);
      at = end < 0 ? at + 2 : end + 2;
    } else at++;
  }
  return [size, at + 1];
}

interface Repeat {
  readonly min: number;
  /** Undefined for an unbounded repetition. */
  readonly max: number | undefined;
  readonly end: number;
}

const repeatForm = /\{(\d{1,4})(?:(,)(\d{0,4}))?\}/y;

/** A repetition in brackets; undefined where the bracket is a literal character. */
function repeatAt(pattern: string, at: number): Repeat | undefined {
  repeatForm.lastIndex = at;
  const match = repeatForm.exec(pattern);
  if (match === null) return undefined;
  const [text, least = "", comma, most = ""] = match;
  const min = Math.min(repeatMax, Number(least));
  const max = comma === undefined ? min : most === "" ? undefined : Math.min(repeatMax, Number(most));
  return { min, max, end: at + text.length };
}

function repeated(atom: number, { min, max }: Repeat): number {
  if (max === undefined) return 2 + Math.max(1, min) * atom;
  return 1 + max * atom + Math.max(0, max - min);
}
