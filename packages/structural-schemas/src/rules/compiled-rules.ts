import type { JsonSchema, ExpressionPreparation, ValidationRule } from "@kintsugi/api";
import { type CelExpression, compileCel, oneTurnCharactersMax } from "@kintsugi/cel";
import { expressionsOf, rulesWithin } from "./rule-list.ts";

interface CompiledRule {
  readonly rule: CelExpression;
  readonly message: CelExpression | undefined;
}

/**
 * The rules of 16 definitions of the largest size, or of hundreds of usual definitions: about 150
 * MB, because a character takes 300 bytes.
 */
const charactersMax = 512 * 1024;
/** Sorted by their last use. */
const compiled = new Map<ValidationRule, CompiledRule | undefined>();
let characters = 0;

/**
 * The rules of a stored definition compile; a rule that does not compile was stored by an earlier
 * version.
 */
export function compiledRule(rule: ValidationRule): CompiledRule | undefined {
  const isKnown = compiled.has(rule);
  const found = isKnown ? compiled.get(rule) : compileRule(rule);
  if (isKnown) compiled.delete(rule);
  else characters += charactersOf(rule);
  compiled.set(rule, found);
  for (const oldest of compiled.keys()) {
    if (characters <= charactersMax) break;
    compiled.delete(oldest);
    characters -= charactersOf(oldest);
  }
  return found;
}

/** Compiles the rules of a schema, so that the first object is not validated in one long turn. */
export function prepareRules(schema: JsonSchema): ExpressionPreparation | undefined {
  const rules = rulesWithin(schema);
  if (rules.length === 0) return undefined;
  return {
    isDone: () => uncompiledCharacters(rules) <= oneTurnCharactersMax,
    *steps() {
      for (const rule of rules) {
        if (compiled.has(rule)) continue;
        compiledRule(rule);
        yield;
      }
    },
  };
}

function compileRule({ rule, messageExpression = "" }: ValidationRule): CompiledRule | undefined {
  try {
    return { rule: compileCel(rule), message: messageExpression === "" ? undefined : compileCel(messageExpression) };
  } catch {
    return undefined;
  }
}

function uncompiledCharacters(rules: readonly ValidationRule[]): number {
  let sum = 0;
  for (const rule of rules) if (!compiled.has(rule)) sum += charactersOf(rule);
  return sum;
}

function charactersOf(rule: ValidationRule): number {
  return expressionsOf([rule]).reduce((sum, { length }) => sum + length, 0);
}
