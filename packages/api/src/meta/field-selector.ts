import { SelectorError } from "./label-selector-parser.ts";

/** Selects objects by a few of their fields: `spec.nodeName=node-1,status.phase!=Failed`. */
export type FieldSelector = readonly FieldRequirement[];

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * Maximum number of terms. A kind has only a few selectable fields, and each term is compared with
 * every object that is listed or watched.
 */
const termsMax = 500;

/**
 * Parses a field selector. `\` escapes `\`, `,` and `=` in values.
 * @throws SelectorError with upstream's wording.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  const terms = splitTerms(text);
  if (terms.length > termsMax) throw new SelectorError(`a selector of more than ${termsMax} terms`);
  for (const term of terms) {
    if (term === "") continue;
    const match = /^(?<field>(?:\\.|[^\\=!])*?)(?<operator>!=|==|=)(?<value>.*)$/s.exec(term);
    const { field, operator, value } = match?.groups ?? {};
    if (field === undefined || value === undefined) {
      throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    requirements.push({ field, operator: operator === "!=" ? "!=" : "=", value: unescape(value) });
  }
  return requirements;
}

/** `fields` contains the selectable fields of an object; a missing field counts as empty. */
export function matchesFields(selector: FieldSelector, fields: Readonly<Record<string, string>>): boolean {
  return selector.every(({ field, operator, value }) => ((fields[field] ?? "") === value) === (operator === "="));
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`)
    .join(",");
}

/** The only value of `field` that can match, so that an index can be used. */
export function requiredField(selector: FieldSelector, field: string): string | undefined {
  return selector.find((requirement) => requirement.field === field && requirement.operator === "=")?.value;
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescape(value: string): string {
  if (!/[\\,=]/.test(value)) return value;
  if (/(?:^|[^\\])(?:\\\\)*\\(?:[^\\,=]|$)/.test(value)) {
    throw new SelectorError(`invalid field selector: invalid escape sequence in value: ${value}`);
  }
  const unescaped = value.replaceAll(/\\([\\,=])/g, "$1");
  // A `=` that remains after the escaped `=` are removed is a second operator.
  if (/(?:^|[^\\])(?:\\\\)*=/.test(value)) {
    throw new SelectorError(`invalid field selector: unescaped character in value: ${value}`);
  }
  return unescaped;
}
