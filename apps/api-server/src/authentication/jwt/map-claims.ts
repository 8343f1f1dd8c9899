import type { JsonValue } from "@kintsugi/api";
import { type CelBudget, type CelExpression, celToJson } from "@kintsugi/cel";
import type { UserInfo } from "../../authorization/authorization.ts";
import { celOfJson } from "../../json-value.ts";
import { authenticatedGroup } from "../authenticate.ts";
import type { ClaimSource, ExpressionRule, JwtSettings } from "./jwt-settings.ts";
import type { JwtClaims } from "./signed-jwt.ts";

/** The token is from the issuer but does not identify a user. The message never shows the token. */
export class TokenRefused extends Error {}

/**
 * Expressions about a token cost little: all expressions of a token share the budget that upstream
 * gives each expression, which is a quarter of a second here.
 */
const costMax = 1_000_000;
/**
 * Upstream's leeway for the clocks of machines, which may differ. It applies to the start of the
 * validity; the end has no leeway.
 */
const notBeforeLeewaySeconds = 5 * 60;
/** Names of users and groups that only the cluster itself assigns. */
const reservedPrefix = "system:";
const groupsMax = 1000;

/** @throws TokenRefused where the claims are expired, not yet valid or meant for another server. */
export function checkClaims(claims: JwtClaims, { issuer }: JwtSettings, nowMs: number): void {
  const { iss, aud, exp, nbf } = claims;
  if (iss !== issuer.url) refuse("the token has another issuer");
  const audiences = typeof aud === "string" ? [aud] : Array.isArray(aud) ? aud : [];
  if (!issuer.audiences.some((audience) => audiences.includes(audience))) {
    refuse(`expected audience in ${JSON.stringify(issuer.audiences)}`);
  }
  if (typeof exp !== "number" || nowMs >= exp * 1000) refuse("token is expired");
  if (nbf !== undefined && (typeof nbf !== "number" || nowMs + notBeforeLeewaySeconds * 1000 < nbf * 1000)) {
    refuse("token is not valid yet");
  }
}

/** Makes the user from claims whose signature is valid. @throws TokenRefused */
export function mapClaims(claims: JwtClaims, settings: JwtSettings): UserInfo {
  const budget = { costLeft: costMax };
  const variables: Variables = { budget, values: { claims: celOfJson(claims as JsonValue) } };
  const name = usernameOf(claims, settings.username, variables);
  const groups = settings.groups === undefined ? [] : groupsOf(claims, settings.groups, variables);
  const uid = settings.uid === undefined ? "" : uidOf(claims, settings.uid, variables);
  const extra = extraOf(settings, variables);
  for (const rule of settings.claimRules) {
    if ("claim" in rule) checkClaim(claims, rule);
    else checkRule(rule, variables);
  }
  // Upstream leaves these names to rules of the configuration, so an issuer can name
  // administrators.
  const reserved = [name, ...groups].find((each) => each.startsWith(reservedPrefix));
  if (reserved !== undefined) refuse(`${JSON.stringify(reserved)} begins with ${reservedPrefix}`);
  const user = celOfJson({ username: name, uid, groups, extra } as unknown as JsonValue);
  for (const rule of settings.userRules) checkRule(rule, { budget, values: { user } });
  return {
    name,
    groups: [...new Set([...groups, authenticatedGroup])],
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

interface Variables {
  readonly values: Readonly<Record<string, unknown>>;
  /** The remaining cost of the expressions that a token may evaluate. */
  readonly budget: CelBudget;
}

function usernameOf(claims: JwtClaims, source: ClaimSource, variables: Variables): string {
  const name = "claim" in source ? textOfClaim(claims, source.claim) : textOf(source.expression, variables, "username");
  if (name === "") refuse("the username is empty");
  if (!("claim" in source)) return name;
  if (source.claim === "email" && Object.hasOwn(claims, "email_verified") && claims["email_verified"] !== true) {
    refuse("email not verified");
  }
  return source.prefix + name;
}

/** A missing claim means no groups; a single text means one group. */
function groupsOf(claims: JwtClaims, source: ClaimSource, variables: Variables): string[] {
  if (!("claim" in source)) return listOf(source.expression, variables, "groups");
  if (!Object.hasOwn(claims, source.claim)) return [];
  const value = claims[source.claim];
  return texts(value, `parse groups claim ${JSON.stringify(source.claim)}`).map((group) => source.prefix + group);
}

function uidOf(claims: JwtClaims, source: ClaimSource, variables: Variables): string {
  return "claim" in source ? textOfClaim(claims, source.claim) : textOf(source.expression, variables, "uid");
}

function extraOf({ extra }: JwtSettings, variables: Variables): Record<string, string[]> {
  const values = extra.map(({ key, expression }) => [key, listOf(expression, variables, key)] as const);
  return Object.fromEntries(values.filter(([, list]) => list.length > 0));
}

function checkClaim(claims: JwtClaims, { claim, requiredValue }: { claim: string; requiredValue: string }): void {
  if (!Object.hasOwn(claims, claim)) refuse(`required claim ${claim} not present in ID token`);
  if (claims[claim] !== requiredValue) refuse(`required claim ${claim} value does not match`);
}

function checkRule({ expression, text, message }: ExpressionRule, variables: Variables): void {
  const value = evaluate(expression, variables, "validation");
  if (value !== true) refuse(message === "" ? `validation expression '${text}' failed` : message);
}

function textOfClaim(claims: JwtClaims, claim: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === "string") return value;
  return refuse(`claim ${JSON.stringify(claim)} is missing or is not a string`);
}

function textOf(expression: CelExpression, variables: Variables, what: string): string {
  const value = evaluate(expression, variables, what);
  return typeof value === "string" ? value : refuse(`${what} claim expression must return a string`);
}

function listOf(expression: CelExpression, variables: Variables, what: string): string[] {
  const value = evaluate(expression, variables, what);
  return value === null || value === "" ? [] : texts(value, `error evaluating ${what} claim expression`);
}

function texts(value: unknown, what: string): string[] {
  const list: unknown[] = typeof value === "string" ? [value] : Array.isArray(value) ? value : [undefined];
  if (list.length > groupsMax) refuse(`${what}: more than ${groupsMax} values`);
  if (list.every((each) => typeof each === "string")) return list;
  return refuse(`${what}: it is neither a string nor a list of strings`);
}

function evaluate(expression: CelExpression, variables: Variables, what: string): unknown {
  const result = expression.evaluate(variables.values, variables.budget);
  if (result.outcome === "value") return celToJson(result.value);
  return refuse(
    `error evaluating ${what} claim expression: ${result.outcome === "error" ? result.message : "it costs too much"}`,
  );
}

function refuse(why: string): never {
  throw new TokenRefused(why);
}
